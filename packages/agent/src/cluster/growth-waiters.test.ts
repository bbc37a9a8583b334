import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GrowthWaiters } from './growth-waiters.ts';

test('there is room for so many, and room again afterwards', () => {
  const waiters = new GrowthWaiters(2);
  const runs: string[] = [];
  const cancel = waiters.add('t', 0, 5, () => runs.push('a'));
  waiters.add('t', 1, 5, () => runs.push('b'));
  waiters.add('t', 1, 5, () => runs.push('too many'))();
  assert.equal(waiters.size, 2);
  cancel();
  cancel();
  assert.equal(waiters.size, 1);
  waiters.add('u', 0, 7, () => runs.push('c'));
  for (const run of waiters.takeBelow('t', 1, 5)) run();
  assert.deepEqual(runs, []);
  for (const run of [...waiters.takeBelow('t', 1, 6), ...waiters.takeTopic('u')]) run();
  assert.deepEqual(runs, ['b', 'c']);
  assert.equal(waiters.size, 0);
  assert.deepEqual(waiters.topicIds(), []);
});
