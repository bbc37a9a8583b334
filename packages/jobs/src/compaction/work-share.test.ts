import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock, settle } from '@weir/core/testing';
import { WorkShare } from './work-share.ts';

/** Works in parts of `partMs` for ten seconds, and returns for how much of them. */
async function workedShare(share: number, partMs: number): Promise<number> {
  const clock = new HandClock();
  const work = new WorkShare(clock);
  work.share = share;
  let workedMs = 0;
  const run = async () => {
    for (;;) {
      await work.turn();
      await new Promise<void>((resolve) => clock.after(partMs, resolve));
      workedMs += partMs;
    }
  };
  void run();
  await clock.pass(10_000);
  return workedMs / 10_000;
}

test('work has its share of the time, in parts of any length', async () => {
  for (const share of [1, 1 / 2, 1 / 8])
    for (const partMs of [0.5, 5, 40]) {
      const worked = await workedShare(share, partMs);
      assert.ok(Math.abs(worked - share) < 0.03, `${worked} of ${share} in parts of ${partMs} ms`);
    }
});

test('no pause is longer than a second, and parts that come meanwhile wait for its end', async () => {
  const clock = new HandClock();
  const work = new WorkShare(clock);
  work.share = 1 / 8;
  clock.advance(10_000);
  const ended: string[] = [];
  for (const name of ['a', 'b']) void work.turn().then(() => ended.push(name));
  clock.advance(999);
  await settle();
  assert.deepEqual(ended, []);
  clock.advance(1);
  await settle();
  assert.deepEqual(ended, ['a', 'b']);
});
