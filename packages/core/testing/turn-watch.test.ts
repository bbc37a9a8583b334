import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../src/clock.ts';
import { longestTurnMs, requireShortTurns } from './turn-watch.ts';

/** Occupies the processor for this much of its time, however busy the machine is. */
function burn(ms: number): void {
  const begun = process.threadCpuUsage();
  let spent = begun;
  while (spent.user + spent.system - begun.user - begun.system < ms * 1000) spent = process.threadCpuUsage();
}

const nextTurn = () => new Promise<void>((resolve) => systemClock.after(1, resolve));

test('work in one turn exceeds the limit, and the same work in parts does not', async () => {
  let runs = 0;
  const atOnce = async () => {
    runs++;
    await nextTurn();
    burn(40);
    await nextTurn();
  };
  await assert.rejects(requireShortTurns(atOnce, 20), /one turn took \d+\.\d ms .* the limit is 20 ms/);
  assert.equal(runs, 5, 'it was measured again before it failed');
  await requireShortTurns(async () => {
    for (let part = 0; part < 40; part++) {
      burn(1);
      await nextTurn();
    }
  }, 20);
});

test('the shortest of several results counts', async () => {
  const results = [300, 150, 90, 80];
  assert.equal(
    await longestTurnMs(async () => results.shift()!),
    90,
    'it ends with the first below the limit',
  );
  assert.deepEqual(results, [80]);
});
