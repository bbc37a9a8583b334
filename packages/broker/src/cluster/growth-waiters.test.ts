import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GrowingEnd } from './cluster-view.ts';
import { GrowthWaiters } from './growth-waiters.ts';

const at = (offset: number, run: () => void, end: GrowingEnd = 'nextOffset') => ({ end, offset, run });

test('the number of waiters is limited, and their slots are freed', () => {
  const waiters = new GrowthWaiters(2);
  const runs: string[] = [];
  const cancel = waiters.add(
    't',
    0,
    at(5, () => runs.push('a')),
  );
  waiters.add(
    't',
    1,
    at(5, () => runs.push('b')),
  );
  waiters.add(
    't',
    1,
    at(5, () => runs.push('too many')),
  )();
  assert.equal(waiters.size, 2);
  cancel();
  cancel();
  assert.equal(waiters.size, 1);
  waiters.add(
    'u',
    0,
    at(7, () => runs.push('c')),
  );
  for (const run of waiters.takeBelow('t', 1, { nextOffset: 5, lastStableOffset: 5 })) run();
  assert.deepEqual(runs, []);
  const ends = { nextOffset: 6, lastStableOffset: 5 };
  for (const run of [...waiters.takeBelow('t', 1, ends), ...waiters.takeTopic('u')]) run();
  assert.deepEqual(runs, ['b', 'c']);
  assert.equal(waiters.size, 0);
  assert.deepEqual(waiters.topicIds(), []);
});

test('each waiter waits for its own end', () => {
  const waiters = new GrowthWaiters(10);
  const runs: string[] = [];
  waiters.add(
    't',
    0,
    at(5, () => runs.push('next'), 'nextOffset'),
  );
  waiters.add(
    't',
    0,
    at(5, () => runs.push('stable'), 'lastStableOffset'),
  );
  for (const run of waiters.takeBelow('t', 0, { nextOffset: 9, lastStableOffset: 5 })) run();
  assert.deepEqual(runs, ['next']);
  for (const run of waiters.takeBelow('t', 0, { nextOffset: 9, lastStableOffset: 6 })) run();
  assert.deepEqual(runs, ['next', 'stable']);
});
