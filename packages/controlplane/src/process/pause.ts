import type { Clock } from '@weir/core';

/** Waits, at most until the process stops. */
export function pause(clock: Clock, stop: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      stop.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    stop.addEventListener('abort', done);
  });
}
