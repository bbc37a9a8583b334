import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { CpuShare } from './cpu-share.ts';

test('work beyond its share waits, and waits longer if the share is small', async () => {
  for (const [share, pauseMs] of [
    [0.5, 20],
    [0.1, 100],
  ] as const) {
    const clock = new HandClock();
    const turns = new CpuShare({ clock, share: () => share });
    await turns.run(() => clock.advance(10));
    let hasRun = false;
    const second = turns.run(() => {
      hasRun = true;
    });
    await Promise.resolve();
    clock.advance(pauseMs - 10 - 6);
    await Promise.resolve();
    assert.equal(hasRun, false, `${share}`);
    clock.advance(6);
    await second;
  }
});
