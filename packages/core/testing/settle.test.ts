import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../src/clock.ts';
import { settle } from './settle.ts';

async function chain(length: number): Promise<string> {
  for (let link = 0; link < length; link++) await null;
  return 'done';
}

/** The context of the caller, which decides whether Node runs ticks or microtasks first. */
const places: Record<string, (run: () => void) => void> = {
  'out of a timer': (run) => systemClock.after(0, run),
  'out of a microtask': (run) => queueMicrotask(run),
  'out of a tick': (run) => process.nextTick(run),
};

for (const [place, enter] of Object.entries(places)) {
  test(`promises that wait for each other settle, awaited ${place}`, async () => {
    const seen = await new Promise((resolve) => {
      enter(() => {
        let result = 'not done';
        void chain(1_000).then((value) => {
          result = value;
        });
        void settle().then(() => resolve(result));
      });
    });
    assert.equal(seen, 'done');
  });
}

test('promises that wait for a timer stay pending', async () => {
  let hasRun = false;
  const cancel = systemClock.after(0, () => {
    hasRun = true;
  });
  await settle();
  cancel();
  assert.equal(hasRun, false);
});
