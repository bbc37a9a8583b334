import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import fc from 'fast-check';
import { type Sleeper, WakeQueue } from './wake-queue.ts';

class Dreamer implements Sleeper {
  wakeAtMs = Number.POSITIVE_INFINITY;
  readonly wokenMs: number[] = [];
}

/** Counts timers that are set. */
function counting(clock: HandClock): Clock & { timers: number } {
  const counted = {
    timers: 0,
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs: number, run: () => void) => {
      counted.timers++;
      return clock.after(delayMs, run);
    },
  };
  return counted;
}

test('each sleeper is woken once, at its time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(9), fc.nat(50), fc.nat(5)), { size: 'max', maxLength: 80 }),
      async (requests) => {
        const clock = new HandClock();
        const dreamers = Array.from({ length: 10 }, () => new Dreamer());
        const queue = new WakeQueue<Dreamer>(clock, (dreamer) => {
          dreamer.wokenMs.push(clock.monotonicMs());
          return Number.POSITIVE_INFINITY;
        });
        const expected = dreamers.map((): number[] => []);
        const due = dreamers.map(() => Number.POSITIVE_INFINITY);
        const settle = (untilMs: number) => {
          for (const [index, atMs] of due.entries()) {
            if (atMs > untilMs) continue;
            expected[index]!.push(atMs);
            due[index] = Number.POSITIVE_INFINITY;
          }
        };
        for (const [index, delayMs, passMs] of requests) {
          const atMs = clock.monotonicMs() + delayMs;
          queue.wakeBy(dreamers[index]!, atMs);
          due[index] = Math.min(due[index]!, atMs);
          await clock.pass(passMs);
          settle(clock.monotonicMs());
        }
        await clock.pass(100);
        settle(clock.monotonicMs());
        assert.deepEqual(
          dreamers.map(({ wokenMs }) => wokenMs),
          expected,
        );
      },
    ),
    { numRuns: 60 },
  );
});

test('a later wake-up time needs no timer', async () => {
  const manual = new HandClock();
  const clock = counting(manual);
  const dreamers = Array.from({ length: 1_000 }, () => new Dreamer());
  const queue = new WakeQueue<Dreamer>(clock, () => Number.POSITIVE_INFINITY);
  for (let beat = 0; beat < 10; beat++) {
    for (const dreamer of dreamers) queue.wakeBy(dreamer, 1_000 + beat);
  }
  assert.equal(clock.timers, 1);
  await manual.pass(2_000);
});

test('a sleeper that always wants to wake is woken once per millisecond', async () => {
  const clock = new HandClock();
  let woken = 0;
  const queue = new WakeQueue<Dreamer>(clock, () => {
    woken++;
    return 0;
  });
  queue.wakeBy(new Dreamer(), 10);
  await clock.pass(15);
  assert.equal(woken, 6);
  queue.close();
  await clock.pass(15);
  assert.equal(woken, 6);
});
