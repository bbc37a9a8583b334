import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from './clock.ts';

test('a scheduled function runs once, and a cancelled one does not', async () => {
  const ran: string[] = [];
  const cancel = systemClock.after(1, () => ran.push('cancelled'));
  systemClock.after(1, () => ran.push('scheduled'));
  cancel();
  await new Promise<void>((resolve) => systemClock.after(20, resolve));
  assert.deepEqual(ran, ['scheduled']);
});

test('monotonic time does not run backwards', () => {
  const first = systemClock.monotonicMs();
  assert.ok(systemClock.monotonicMs() >= first);
});

test('a delay that the runtime would warn about works without a warning', async (t) => {
  const warnings: string[] = [];
  const onWarning = (warning: Error) => warnings.push(warning.name);
  process.on('warning', onWarning);
  t.after(() => process.off('warning', onWarning));
  const ran: string[] = [];
  const soon = [0, -1, -0.5, -Infinity, Number.NaN];
  const late = [2 ** 31 - 1, 2 ** 31, 2 ** 40, Number.POSITIVE_INFINITY];
  const cancels = late.map((delayMs) => systemClock.after(delayMs, () => ran.push(String(delayMs))));
  await Promise.all(
    soon.map(
      (delayMs) =>
        new Promise<void>((resolve) =>
          systemClock.after(delayMs, () => {
            ran.push(String(delayMs));
            resolve();
          }),
        ),
    ),
  );
  // Warnings are emitted on the next tick.
  await new Promise<void>((resolve) => systemClock.after(5, resolve));
  for (const cancel of cancels) cancel();
  assert.deepEqual(ran.sort(), soon.map(String).sort());
  assert.deepEqual(warnings, []);
});

test('a delay longer than the maximum of a timer runs once, when it is over', (t) => {
  t.mock.timers.enable();
  const ran: number[] = [];
  const delayMs = 2.5 * (2 ** 31 - 1);
  systemClock.after(delayMs, () => ran.push(1));
  const cancel = systemClock.after(delayMs, () => ran.push(2));
  for (let passed = 0; passed < 2; passed++) t.mock.timers.tick(2 ** 31 - 1);
  assert.deepEqual(ran, []);
  cancel();
  t.mock.timers.tick(2 ** 31 - 1);
  assert.deepEqual(ran, [1]);
});
