import { systemClock } from '@weir/core';

/** Far longer than anything takes that happens at all. */
const patienceMs = 120_000;

/** Waits for something that has to happen, and fails when it does not. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = systemClock.monotonicMs() + patienceMs;
  while (!(await isSo())) {
    if (systemClock.monotonicMs() > endMs) throw new Error(`it did not happen: ${isSo}`);
    await new Promise<void>((resolve) => systemClock.after(5, resolve));
  }
}
