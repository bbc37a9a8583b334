import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachBounded, mapBounded } from './bounded.ts';

test('a limited number of items runs at a time, and results are in the order of the items', async () => {
  let running = 0;
  let runningMax = 0;
  const results = await mapBounded([5, 4, 3, 2, 1], 2, async (item) => {
    runningMax = Math.max(runningMax, ++running);
    for (let turn = 0; turn < item; turn++) await Promise.resolve();
    running--;
    return item * 10;
  });
  assert.deepEqual(results, [50, 40, 30, 20, 10]);
  assert.equal(runningMax, 2);
});

test('after a failure no item starts, and running items are awaited', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const work = forEachBounded([1, 2, 3, 4, 5], 2, async (item) => {
    begun.push(item);
    if (item === 1) throw new Error('one');
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    ended.push(item);
  });
  await assert.rejects(work, /one/);
  assert.deepEqual([begun, ended], [[1, 2], [2]]);
});
