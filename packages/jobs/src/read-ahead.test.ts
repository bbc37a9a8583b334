import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import { settle } from '@weir/core/testing';
import { ReadSlots, readAhead } from './read-ahead.ts';

/** Reads that a test ends in any order. */
function held() {
  const running = new Map<number, { readonly end: () => void; readonly fail: (error: Error) => void }>();
  const read = (one: number, signal?: AbortSignal) =>
    new Promise<number>((resolve, reject) => {
      const stop = () => {
        running.delete(one);
        reject(signal!.reason);
      };
      const after = (run: () => void) => () => {
        running.delete(one);
        signal?.removeEventListener('abort', stop);
        run();
      };
      signal?.addEventListener('abort', stop);
      running.set(one, { end: after(() => resolve(one)), fail: (error) => after(() => reject(error))() });
    });
  return { running, read };
}

const few = { aheadMax: 8, aheadBytesMax: 1_000, bytesOf: () => 1 };

async function* numbers(count: number) {
  for (let n = 0; n < count; n++) yield n;
}

test('results come in their order, whatever the order in which reads end', async () => {
  const random = seededRandom(1);
  const { running, read } = held();
  const { signal } = new AbortController();
  let runningMax = 0;
  const got = Array.fromAsync(readAhead(numbers(100), read, { ...few, signal }));
  for (let ended = 0; ended < 100; ended++) {
    await settle();
    runningMax = Math.max(runningMax, running.size);
    const ids = [...running.keys()];
    running.get(ids[random.below(ids.length)]!)!.end();
  }
  assert.deepEqual(await got, [...Array(100).keys()]);
  assert.equal(runningMax, 8);
});

test('a read that fails before those ahead of it have ended is thrown in its turn, and ends the others', async () => {
  const { running, read } = held();
  const { signal } = new AbortController();
  const got: number[] = [];
  const reading = (async () => {
    for await (const one of readAhead(numbers(100), read, { ...few, signal })) got.push(one);
  })();
  await settle();
  running.get(3)!.fail(new Error('the store is on fire'));
  // A rejection without a handler would end this process by then.
  await settle();
  assert.deepEqual(got, []);
  for (const one of [2, 0, 1]) running.get(one)!.end();
  await assert.rejects(reading, /on fire/);
  assert.deepEqual(got, [0, 1, 2]);
  assert.equal(running.size, 0);
});

test('fewer large ones are begun before the first of them is wanted', async () => {
  const { running, read } = held();
  const { signal } = new AbortController();
  const sizes = [40, 40, 40, 300, 10, 10, 10, 10];
  const options = { aheadMax: 3, aheadBytesMax: 100, bytesOf: (one: number) => sizes[one]!, signal };
  const got = Array.fromAsync(readAhead(numbers(sizes.length), read, options));
  const begun: number[][] = [];
  for (let ended = 0; ended < sizes.length; ended++) {
    await settle();
    begun.push([...running.keys()]);
    running.get(ended)!.end();
  }
  assert.deepEqual(await got, [...sizes.keys()]);
  // Asked for one after the other; each of the large ones waits until there is room.
  assert.deepEqual(begun, [[0, 1], [1, 2], [2], [3], [4, 5, 6], [5, 6, 7], [6, 7], [7]]);
});

test('a caller that stops ends the reads', async () => {
  const { running, read } = held();
  const stop = new AbortController();
  const reading = Array.fromAsync(readAhead(numbers(100), read, { ...few, signal: stop.signal }));
  await settle();
  assert.equal(running.size, 8);
  stop.abort(new Error('the job was given to another agent'));
  await assert.rejects(reading, /another agent/);
  assert.equal(running.size, 0);
});

test('reads are bounded by their number and their memory, and begin in their order', async () => {
  const random = seededRandom(2);
  const { running, read } = held();
  const slots = new ReadSlots({ readsMax: 4, bytesMax: 100 });
  const sizes = Array.from({ length: 200 }, (_, n) => (n % 20 === 7 ? 150 : 1 + random.below(60)));
  const begun: number[] = [];
  const all = Promise.all(
    sizes.map((bytes, n) =>
      slots.run(bytes, () => {
        begun.push(n);
        return read(n);
      }),
    ),
  );
  for (let ended = 0; ended < sizes.length; ended++) {
    await settle();
    const ids = [...running.keys()];
    assert.ok(ids.length > 0 && ids.length <= 4);
    const bytes = ids.reduce((sum, n) => sum + sizes[n]!, 0);
    assert.ok(bytes <= 100 || ids.length === 1, `${bytes} bytes in ${ids.length} reads`);
    const one = running.get(ids[random.below(ids.length)]!)!;
    if (ended % 5 === 0) one.fail(new Error('of one read'));
    else one.end();
  }
  await assert.rejects(all, /of one read/);
  assert.deepEqual(begun, [...sizes.keys()]);
});
