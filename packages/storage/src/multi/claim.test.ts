import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, type Random, seededRandom, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import fc from 'fast-check';
import { latencyStore } from '../../testing/latency-store.ts';
import { emptyMemoryStore } from '../../testing/memory.ts';
import { type TestBucket, testBuckets } from '../../testing/sub-buckets.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { openMultiStore } from './multi-store.ts';

interface Process {
  readonly store: ObjectStore;
  readonly buckets: readonly TestBucket[];
}

/** A process whose requests overtake each other, and those of other processes. */
function process(
  clock: HandClock,
  random: Random,
  inners: readonly ObjectStore[],
  latencyMsMax: number,
): Process {
  const decorate = (store: ObjectStore) =>
    latencyStore(store, { clock, random, latencyMs: (random) => random.below(latencyMsMax) });
  const buckets = testBuckets(inners.length, { clock, random, decorate, inners });
  return {
    buckets,
    store: openMultiStore(buckets, { clock, random, log: silentLog, metrics: new Metrics() }),
  };
}

async function contentsOf(inners: readonly ObjectStore[], key: string): Promise<string[]> {
  const found: string[] = [];
  for (const inner of inners)
    if ((await inner.head(key)) !== undefined) found.push(String(await inner.getRange(key, 0, 99)));
  return found;
}

interface Race {
  readonly seed: number;
  readonly bucketCount: number;
  readonly writerCount: number;
  readonly latencyMsMax: number;
}

const race: fc.Arbitrary<Race> = fc.record({
  seed: fc.nat(2 ** 31),
  bucketCount: fc.constantFrom(2, 3, 4, 5),
  writerCount: fc.integer({ min: 1, max: 5 }),
  latencyMsMax: fc.constantFrom(1, 20, 400),
});

test('of writers of an absent key exactly one gets it, in every order of their requests', async () => {
  const check = async ({ seed, bucketCount, writerCount, latencyMsMax }: Race) => {
    const clock = new HandClock();
    const random = seededRandom(seed);
    const inners = Array.from({ length: bucketCount }, emptyMemoryStore);
    const writers = Array.from({ length: writerCount }, () => process(clock, random, inners, latencyMsMax));
    const won = await clock.until(
      Promise.all(writers.map(({ store }, n) => store.putIfAbsent('key', [Buffer.from(`writer ${n}`)]))),
    );
    assert.equal(won.filter((isNew) => isNew).length, 1);
    const contents = await contentsOf(inners, 'key');
    assert.ok(contents.length >= Math.floor(bucketCount / 2) + 1);
    assert.deepEqual(new Set(contents), new Set([`writer ${won.indexOf(true)}`]));
    for (const { store } of writers) await clock.until(store.close());
  };
  await fc.assert(fc.asyncProperty(race, check), { numRuns: 25 });
});

test('a bucket that is out, and writers that end halfway, leave one content at most', async () => {
  const check = async ({ seed, bucketCount, writerCount, latencyMsMax }: Race) => {
    const clock = new HandClock();
    const random = seededRandom(seed);
    const inners = Array.from({ length: bucketCount }, emptyMemoryStore);
    const out = random.below(bucketCount);
    let successes = 0;
    const write = async (n: number) => {
      const { store, buckets } = process(clock, random, inners, latencyMsMax);
      // Out for some of the writers, back for others, and losing answers to all.
      if (random.next() < 0.5) buckets[out]!.setOut(true);
      else buckets[out]!.store.faults = { failBefore: 0.2, failAfter: 0.3 };
      const stop = new AbortController();
      if (random.next() < 0.3)
        clock.after(random.below(20 * latencyMsMax), () => stop.abort(new Error('ended')));
      const won = store.putIfAbsent('key', [Buffer.from(`writer ${n}`)], { signal: stop.signal });
      if (await won.catch(() => false)) successes++;
      await store.close();
    };
    await clock.until(Promise.all(Array.from({ length: writerCount }, (_, n) => write(n))));
    assert.ok(successes <= 1);
    // Whatever was left halfway, a later writer gets an answer, and all buckets agree.
    const later = process(clock, random, inners, latencyMsMax);
    const isNew = await clock.until(later.store.putIfAbsent('key', [Buffer.from('later')]));
    assert.ok(!(isNew && successes === 1));
    const contents = new Set(await contentsOf(inners, 'key'));
    assert.equal(contents.size, 1);
    assert.equal(contents.has('later'), isNew);
    await clock.until(later.store.close());
  };
  await fc.assert(fc.asyncProperty(race, check), { numRuns: 25 });
});

test('a writer that stops for a long time gets nothing that another has by then', async () => {
  const clock = new HandClock();
  const inners = Array.from({ length: 3 }, emptyMemoryStore);
  const slow = process(clock, seededRandom(1), inners, 1);
  const quick = process(clock, seededRandom(2), inners, 1);
  // Its requests take longer than votes are valid.
  for (const { store } of slow.buckets) store.faults = { slow: 1, slowMs: 100_000 };
  const first = slow.store.putIfAbsent('key', [Buffer.from('slow')]);
  const outcome = first.then(
    (isNew) => isNew,
    () => false,
  );
  await clock.pass(450_000);
  assert.equal(await clock.until(quick.store.putIfAbsent('key', [Buffer.from('quick')])), true);
  assert.equal(await clock.until(outcome), false);
  assert.deepEqual(await contentsOf(inners, 'key'), ['quick', 'quick', 'quick']);
  await clock.until(slow.store.close());
  await clock.until(quick.store.close());
});
