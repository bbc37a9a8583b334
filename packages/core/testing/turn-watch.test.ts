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
  const limits = { limitMs: 20, what: 'a request' };
  await assert.rejects(
    requireShortTurns(atOnce, limits),
    /one turn of a request took \d+\.\d ms .* the limit is 20 ms/,
  );
  assert.equal(runs, 5, 'it was measured again before it failed');
  // The turn in which the work ends counts, and so does that in which it begins.
  await assert.rejects(
    requireShortTurns(() => nextTurn().then(() => burn(40)), limits),
    /limit is 20 ms/,
  );
  await assert.rejects(
    requireShortTurns(async () => burn(40), limits),
    /limit is 20 ms/,
  );
  const inParts = async () => {
    for (let part = 0; part < 40; part++) {
      burn(1);
      await nextTurn();
    }
    return 'result';
  };
  assert.equal(await requireShortTurns(inParts, limits), 'result');
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

test('time in which the thread has no processor does not count', async () => {
  const never = new Int32Array(new SharedArrayBuffer(4));
  const beginMs = systemClock.monotonicMs();
  await requireShortTurns(async () => void Atomics.wait(never, 0, 0, 60), { limitMs: 20 });
  assert.ok(systemClock.monotonicMs() - beginMs > 20);
});
