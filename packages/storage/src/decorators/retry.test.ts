import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { type Faults, faultyStore } from '../../testing/faulty-store.ts';
import { emptyMemoryStore } from '../../testing/memory.ts';
import { aroundStore } from '../store/around.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { StoreError, type StoreErrorKind, storeErrorKinds } from '../store/store-error.ts';
import { type RetryPolicy, withRetry } from './retry.ts';

const policy: RetryPolicy = { attemptsMax: 4, totalMsMax: 10_000, pauseMsMin: 100, pauseMsMax: 300 };

/** A store that fails this often before each success, and the calls that it received. */
function failing(times: number, kind: StoreErrorKind) {
  const received: string[] = [];
  let left = times;
  const inner = emptyMemoryStore();
  const store = aroundStore(inner, async ({ operation, key, signal, run }) => {
    received.push(operation);
    if (left-- > 0) throw new StoreError(kind, key, 'by design');
    left = times;
    return await run(signal);
  });
  return { store, inner, received };
}

function retrying(inner: ObjectStore, clock: HandClock, chosen: Partial<RetryPolicy> = {}): ObjectStore {
  const options = { clock, random: seededRandom(7), log: silentLog };
  return withRetry(inner, { ...options, policy: { ...policy, ...chosen } });
}

for (const [kind, { retriable }] of Object.entries(storeErrorKinds)) {
  test(`${kind} is ${retriable ? 'tried again' : 'final'}`, async () => {
    const clock = new HandClock();
    const { store, received } = failing(3, kind as StoreErrorKind);
    const put = clock.until(retrying(store, clock).put('key', [Buffer.from('x')]));
    if (retriable) await put;
    else await assert.rejects(put, { kind });
    assert.equal(received.length, retriable ? 4 : 1);
  });
}

test('kinds that are passed on are final', async () => {
  const clock = new HandClock();
  for (const [kind, attempts] of [
    ['full', 1],
    ['throttled', 2],
  ] as const) {
    const { store, received } = failing(1, kind);
    const passing = withRetry(store, {
      clock,
      random: seededRandom(7),
      log: silentLog,
      policy,
      passesOn: new Set<StoreErrorKind>(['full']),
    });
    await clock.until(passing.head('key').catch(() => undefined));
    assert.equal(received.length, attempts, kind);
  }
});

test('gives up after the maximum number of attempts, with the last error', async () => {
  const clock = new HandClock();
  const { store, received } = failing(99, 'throttled');
  await assert.rejects(clock.until(retrying(store, clock).head('key')), { kind: 'throttled' });
  assert.equal(received.length, 4);
});

test('pauses grow up to a limit, and are jittered', async () => {
  const clock = new HandClock();
  const { store } = failing(99, 'unavailable');
  const startMs = clock.monotonicMs();
  await assert.rejects(clock.until(retrying(store, clock, { attemptsMax: 6 }).head('key')));
  const tookMs = clock.monotonicMs() - startMs;
  // 100 + 200 + 300 + 300 + 300, each reduced by up to half.
  assert.ok(tookMs > 600 && tookMs < 1200, `${tookMs} ms`);
});

test('starts no attempt after its deadline', async () => {
  const clock = new HandClock();
  const { store, received } = failing(99, 'unavailable');
  const impatient = retrying(store, clock, { attemptsMax: 1000, totalMsMax: 1000 });
  const startMs = clock.monotonicMs();
  await assert.rejects(clock.until(impatient.head('key')), { kind: 'unavailable' });
  assert.ok(clock.monotonicMs() - startMs <= 1000);
  assert.ok(received.length < 20);
});

test('an abort ends the pause', async () => {
  const clock = new HandClock();
  const { store } = failing(99, 'unavailable');
  const controller = new AbortController();
  const head = retrying(store, clock).head('key', { signal: controller.signal });
  await clock.pass(1);
  controller.abort(new Error('no longer wanted'));
  await assert.rejects(head, { message: 'no longer wanted' });
  assert.equal(clock.waiting, 0);
});

test('a listing continues after the last key that it returned', async () => {
  const clock = new HandClock();
  const { store, inner } = failing(1, 'unavailable');
  const keys = Array.from({ length: 2500 }, (_, i) => String(i).padStart(5, '0'));
  for (const key of keys) await inner.put(key, []);
  const listed: string[] = [];
  const walk = async () => {
    for await (const page of retrying(store, clock).list('')) listed.push(...page.map(({ key }) => key));
  };
  await clock.until(walk());
  assert.deepEqual(listed, keys);
});

test('a claim whose answer was lost is recognized by its content', async () => {
  const table: readonly [before: string | undefined, faults: Faults, isNew: boolean, holds: string][] = [
    [undefined, {}, true, 'mine'],
    [undefined, { failBefore: 0.5 }, true, 'mine'],
    [undefined, { failAfter: 0.5 }, true, 'mine'],
    ['theirs', {}, false, 'theirs'],
    ['theirs', { failBefore: 0.5, failAfter: 0.5 }, false, 'theirs'],
    ['mine and more', { failBefore: 0.5, failAfter: 0.5 }, false, 'mine and more'],
    ['min', { failBefore: 0.5, failAfter: 0.5 }, false, 'min'],
  ];
  for (const [before, faults, isNew, holds] of table) {
    for (let seed = 0; seed < 20; seed++) {
      const clock = new HandClock();
      const inner = emptyMemoryStore();
      if (before !== undefined) await inner.put('key', [Buffer.from(before)]);
      const faulty = faultyStore(inner, faults, { clock, random: seededRandom(seed) });
      const store = retrying(faulty, clock, { attemptsMax: 50, totalMsMax: 1_000_000 });
      const content = [Buffer.from('mi'), Buffer.from('ne')];
      assert.equal(await clock.until(store.putIfAbsent('key', content)), isNew, `${before}, seed ${seed}`);
      assert.equal(String(await inner.getRange('key', 0, 99)), holds);
    }
  }
});

test('nothing is retried on a closed store', async () => {
  const clock = new HandClock();
  const { store, received } = failing(99, 'unavailable');
  const retried = retrying(store, clock);
  await retried.close();
  await assert.rejects(clock.until(retried.put('key', [Buffer.from('x')])), { kind: 'unavailable' });
  assert.equal(received.length, 1);
});
