import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { HandClock, settle } from '../testing/index.ts';
import { pauseUnlessStopped } from './pause.ts';

function pausing(delayMs: number, stop: AbortSignal) {
  const clock = new HandClock();
  let isOver = false;
  void pauseUnlessStopped(clock, delayMs, stop).then(() => {
    isOver = true;
  });
  return {
    clock,
    async isOver() {
      await settle();
      return isOver;
    },
  };
}

test('a pause ends after its time and leaves no listener', async () => {
  const { signal } = new AbortController();
  const { clock, isOver } = pausing(1_000, signal);
  clock.advance(999);
  assert.equal(await isOver(), false);
  clock.advance(1);
  assert.equal(await isOver(), true);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('a stop ends a pause', async () => {
  const stop = new AbortController();
  const { isOver } = pausing(1_000, stop.signal);
  assert.equal(await isOver(), false);
  stop.abort();
  assert.equal(await isOver(), true);
});

test('there is no pause after a stop', async () => {
  const { isOver } = pausing(1_000, AbortSignal.abort());
  assert.equal(await isOver(), true);
});
