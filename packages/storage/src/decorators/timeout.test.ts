import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { latencyStore } from '../../testing/latency-store.ts';
import { emptyMemoryStore } from '../../testing/memory.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { withTimeout } from './timeout.ts';

const timeoutMs = {
  put: 100,
  putIfAbsent: 100,
  getRange: 100,
  head: 100,
  delete: 100,
  deleteMany: 100,
  beginUpload: 100,
  putPart: 100,
  finishUpload: 100,
  abortUpload: 100,
  listUploads: 100,
  list: 100,
};

function slowStore(clock: HandClock, latencyMs: number): ObjectStore {
  const slow = latencyStore(emptyMemoryStore(), {
    clock,
    random: seededRandom(1),
    latencyMs: () => latencyMs,
  });
  return withTimeout(slow, { clock, timeoutMs });
}

test('a fast call passes, and leaves no timer behind', async () => {
  const clock = new HandClock();
  const store = slowStore(clock, 99);
  await clock.until(store.put('key', [Buffer.from('x')]));
  assert.equal((await clock.until(store.getRange('key', 0, 1))).length, 1);
  assert.equal(clock.waiting, 0);
});

test('every operation that takes too long fails with a timeout', async () => {
  const clock = new HandClock();
  const store = slowStore(clock, 201);
  const content = [Buffer.from('x')];
  for (const call of [
    () => store.put('key', content),
    () => store.putIfAbsent('key', content),
    () => store.getRange('key', 0, 1),
    () => store.head('key'),
    () => store.delete('key'),
    () => store.list('')[Symbol.asyncIterator]().next(),
  ]) {
    await assert.rejects(clock.until(Promise.resolve(call())), { kind: 'timeout' });
  }
  assert.equal(clock.waiting, 0);
});

test('a timed-out write settles only when the driver no longer uses the slices, a read at once', async () => {
  const clock = new HandClock();
  const inner = emptyMemoryStore();
  const letGo = Promise.withResolvers<void>();
  const store = withTimeout(
    { ...inner, put: () => letGo.promise, head: () => new Promise(() => {}) },
    { clock, timeoutMs },
  );
  const settled: string[] = [];
  const put = store.put('key', [Buffer.from('x')]).catch(({ kind }) => settled.push(`put: ${kind}`));
  const head = store.head('key').catch(({ kind }) => settled.push(`head: ${kind}`));
  await clock.pass(100);
  await head;
  assert.deepEqual(settled, ['head: timeout']);
  letGo.reject(new Error('aborted'));
  await put;
  assert.deepEqual(settled, ['head: timeout', 'put: timeout']);
});

test("the caller's signal still reaches the driver", async () => {
  const clock = new HandClock();
  const store = slowStore(clock, 50);
  const controller = new AbortController();
  const put = store.put('key', [Buffer.from('x')], { signal: controller.signal });
  controller.abort(new Error('no longer wanted'));
  await assert.rejects(put, { message: 'no longer wanted' });
  assert.equal(clock.waiting, 0);
});
