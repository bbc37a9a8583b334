import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InflationTurns } from './inflation-turns.ts';

test('so many run at a time, and the others follow in their order, whatever became of those before', async () => {
  const turns = new InflationTurns(2);
  const started: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const outcomes = Array.from({ length: 5 }, (_, index) =>
    turns
      .run(
        () =>
          new Promise<void>((resolve, reject) => {
            started.push(index);
            ends.push((error) => (error === undefined ? resolve() : reject(error)));
          }),
      )
      .then(
        () => 'done',
        () => 'failed',
      ),
  );
  assert.deepEqual([started, turns.running], [[0, 1], 2]);
  ends[1]!(new Error('bad'));
  assert.equal(await outcomes[1], 'failed');
  await Promise.resolve();
  assert.deepEqual([started, turns.running], [[0, 1, 2], 2]);
  for (let index = 0; index < 5; index++) {
    while (ends[index] === undefined) await Promise.resolve();
    ends[index]!();
  }
  assert.deepEqual(await Promise.all(outcomes), ['done', 'failed', 'done', 'done', 'done']);
  assert.deepEqual([started, turns.running], [[0, 1, 2, 3, 4], 0]);
});
