import { systemClock } from '@weir/core';

/** Far longer than any expected wait. */
const patienceMs = 120_000;

/** Waits for a condition, and fails if it does not become true. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = systemClock.monotonicMs() + patienceMs;
  while (!(await isSo())) {
    if (systemClock.monotonicMs() > endMs) throw new Error(`it did not happen: ${isSo}`);
    await new Promise<void>((resolve) => systemClock.after(5, resolve));
  }
}
