import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, seededRandom, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { faultyStore } from '../../testing/faulty-store.ts';
import { emptyMemoryStore } from '../../testing/memory.ts';
import type { StoreErrorKind } from '../store/store-error.ts';
import { withCircuitBreaker } from './circuit-breaker.ts';

function broken(kind: StoreErrorKind) {
  const clock = new HandClock();
  const metrics = new Metrics();
  const faulty = faultyStore(emptyMemoryStore(), { failBefore: 1, kind }, { clock, random: seededRandom(1) });
  const store = withCircuitBreaker(faulty, {
    name: 'mem://test',
    clock,
    log: silentLog,
    metrics,
    policy: { failuresMax: 3, openMs: 1000, probesMax: 1 },
  });
  return { clock, metrics, faulty, store };
}

test('stops calling a store that does not answer, and detects when it is back', async () => {
  const { clock, metrics, faulty, store } = broken('unavailable');
  for (let i = 0; i < 3; i++) await assert.rejects(store.head('key'), /failed by design/);
  await assert.rejects(store.head('key'), /mem:\/\/test does not respond/);
  assert.match(metrics.render(), /circuit_breaker_state_set\{name="mem:\/\/test",state="open"\} 1/);

  await clock.pass(1000);
  await assert.rejects(store.head('key'), /failed by design/);
  await assert.rejects(store.head('key'), /does not respond/);

  await clock.pass(1000);
  faulty.faults = {};
  assert.equal(await store.head('key'), undefined);
  assert.equal(await store.head('key'), undefined);
  const text = metrics.render();
  assert.match(text, /circuit_breaker_state_set\{name="mem:\/\/test",state="closed"\} 1/);
  assert.match(text, /circuit_breaker_state_set\{name="mem:\/\/test",state="open"\} 0/);
  assert.match(text, /circuit_breaker_count\{name="mem:\/\/test",state="open"\} 2/);
  assert.match(text, /circuit_breaker_permit\{name="mem:\/\/test",outcome="refused"\} 2/);
  assert.match(text, /circuit_breaker_hits\{name="mem:\/\/test",outcome="failure"\} 4/);
});

for (const kind of ['notFound', 'denied', 'throttled', 'invalid', 'full', 'bucketMissing'] as const) {
  test(`a store that answers ${kind} is alive`, async () => {
    const { store } = broken(kind);
    for (let i = 0; i < 10; i++) await assert.rejects(store.head('key'), { kind });
  });
}

test('an abort does not count as a result', async () => {
  const { store, faulty } = broken('unavailable');
  faulty.faults = { slow: 1, slowMs: 1000 };
  for (let i = 0; i < 10; i++) {
    const signal = AbortSignal.abort(new Error('no longer wanted'));
    await assert.rejects(store.head('key', { signal }), { message: 'no longer wanted' });
  }
});
