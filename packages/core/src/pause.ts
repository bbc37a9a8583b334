import type { Clock } from './clock.ts';

/** Resolves after a delay, or as soon as `stop` is aborted; at once if it already is. */
export function pauseUnlessStopped(clock: Clock, delayMs: number, stop: AbortSignal): Promise<void> {
  if (stop.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      stop.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    stop.addEventListener('abort', done);
  });
}

/** Resolves in a later turn of the event loop: other work runs first. */
export function nextTurn(clock: Pick<Clock, 'after'>): Promise<void> {
  return new Promise((resolve) => void clock.after(0, resolve));
}
