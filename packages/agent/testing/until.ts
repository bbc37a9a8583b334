import { systemClock } from '@weir/core';

/** Waits for sockets and promises to bring something about. A test that waits in vain fails by the runner's limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(1);
}

/** Lets everything that is under way arrive, for tests that say that nothing more happens. */
export function pause(ms = 30): Promise<void> {
  return new Promise((resolve) => {
    systemClock.after(ms, resolve);
  });
}
