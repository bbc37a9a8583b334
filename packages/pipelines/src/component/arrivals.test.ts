import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arrivals } from './arrivals.ts';
import { ByteCutter } from './byte-cutter.ts';

const never = new AbortController().signal;

test('a connection is paused while enough waits, by number and by bytes', async () => {
  const pauses: boolean[] = [];
  const arrivals = new Arrivals<number>({ itemsMax: 4, bytesMax: 100 }, (isPaused) => pauses.push(isPaused));
  for (let n = 1; n <= 4; n++) arrivals.push(n, 1);
  assert.deepEqual(pauses, [true]);
  // It goes on when half of it is taken, so that it does not change with every item.
  assert.equal(await arrivals.next(never), 1);
  assert.deepEqual(pauses, [true]);
  assert.equal(await arrivals.next(never), 2);
  assert.deepEqual(pauses, [true, false]);
  arrivals.push(5, 1000);
  assert.deepEqual(pauses, [true, false, true]);
  assert.deepEqual(
    [await arrivals.next(never), await arrivals.next(never), await arrivals.next(never)],
    [3, 4, 5],
  );
  assert.deepEqual(pauses, [true, false, true, false]);
});

test('a failure comes after what arrived before, or instead of it', async () => {
  const arrivals = new Arrivals<number>({ itemsMax: 10, bytesMax: 100 }, () => {});
  arrivals.push(1, 1);
  arrivals.fail(new Error('lost'));
  assert.equal(await arrivals.next(never), 1);
  await assert.rejects(arrivals.next(never), /lost/);
  arrivals.push(2, 1);
  arrivals.fail(new Error('lost'), { drops: true });
  await assert.rejects(arrivals.next(never), /lost/);
  const waiting = arrivals.next(never);
  arrivals.fail(new Error('again'));
  await assert.rejects(waiting, /again/);
  arrivals.fail(new Error('old'));
  arrivals.begin();
  const stop = new AbortController();
  const stopped = arrivals.next(stop.signal);
  stop.abort();
  assert.equal(await stopped, undefined);
});

test('bytes are joined only when enough are there', () => {
  const seen: number[] = [];
  const cutter = new ByteCutter((bytes) => {
    seen.push(bytes.length);
    return bytes.length < 1000 ? -1000 : 1000;
  });
  for (let n = 0; n < 250; n++) cutter.push(Buffer.alloc(10));
  assert.deepEqual(seen, [10, 1000, 10, 1000, 10]);
});
