import { systemClock } from '../src/clock.ts';

/** Polls until the condition holds. A test that waits in vain fails by the limit of the test runner. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(1);
}

/** Lets everything in flight arrive, for tests that assert that nothing more happens. */
export function pause(ms = 30): Promise<void> {
  return new Promise((resolve) => {
    systemClock.after(ms, resolve);
  });
}
