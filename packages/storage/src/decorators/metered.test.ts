import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, seededRandom } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { faultyStore } from '../../testing/faulty-store.ts';
import { latencyStore } from '../../testing/latency-store.ts';
import { emptyMemoryStore } from '../../testing/memory.ts';
import { metered } from './metered.ts';

test('counts requests, their time and their bytes', async () => {
  const clock = new HandClock();
  const metrics = new Metrics();
  const slow = latencyStore(emptyMemoryStore(), { clock, random: seededRandom(1), latencyMs: () => 20 });
  const store = metered(slow, { clock, metrics });
  await clock.until(store.put('key', [Buffer.alloc(100)]));
  await clock.until(store.putIfAbsent('key', [Buffer.alloc(1000)]));
  await clock.until(store.getRange('key', 10, 40));
  await assert.rejects(clock.until(store.getRange('missing', 0, 1)), { kind: 'notFound' });
  const text = metrics.render();
  for (const line of [
    'service_blob_store_bytes_written 100',
    'service_blob_store_bytes_read 30',
    'service_blob_store_operation_latency_count{operation="put",outcome="success"} 1',
    'service_blob_store_operation_latency_sum{operation="put",outcome="success"} 0.02',
    'service_blob_store_operation_latency_count{operation="getRange",outcome="success"} 1',
    'service_blob_store_operation_latency_count{operation="getRange",outcome="notFound"} 1',
  ]) {
    assert.ok(text.includes(`${line}\n`), line);
  }
});

test('failures have their kind', async () => {
  const clock = new HandClock();
  const metrics = new Metrics();
  const faults = { failBefore: 1, kind: 'throttled' } as const;
  const store = metered(faultyStore(emptyMemoryStore(), faults, { clock, random: seededRandom(1) }), {
    clock,
    metrics,
  });
  await assert.rejects(store.put('key', [Buffer.alloc(100)]));
  assert.match(metrics.render(), /operation_latency_count\{operation="put",outcome="throttled"\} 1/);
  assert.match(metrics.render(), /bytes_written 0/);
});

test('the callback receives each request as it ends', async () => {
  const clock = new HandClock();
  const slow = latencyStore(emptyMemoryStore(), { clock, random: seededRandom(1), latencyMs: () => 20 });
  const reported: unknown[] = [];
  const store = metered(slow, {
    clock,
    metrics: new Metrics(),
    onRequest: (request) => reported.push(request),
  });
  await clock.until(store.put('key', [Buffer.alloc(1)]));
  await assert.rejects(clock.until(store.getRange('missing', 0, 1)));
  assert.deepEqual(reported, [
    { operation: 'put', outcome: 'success', latencyMs: 20 },
    { operation: 'getRange', outcome: 'notFound', latencyMs: 10 },
  ]);
});
