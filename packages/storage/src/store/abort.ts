import type { Clock } from '@weir/core';

/** A separate signal that also fires when the caller's does. */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Removes the listener from the caller's signal, which may live much longer. */
  release(): void;
}

export function linkedAbort(parent: AbortSignal | undefined): LinkedAbort {
  const controller = new AbortController();
  const release = onAbort(parent, (reason) => controller.abort(reason));
  return { signal: controller.signal, abort: (reason) => controller.abort(reason), release };
}

/** Calls `run` when the signal fires, or at once if it has fired. Returns a function that removes the listener. */
export function onAbort(signal: AbortSignal | undefined, run: (reason: unknown) => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    run(signal.reason);
    return () => {};
  }
  const listener = () => run(signal.reason);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** The result of a promise; rejects if the signal fires first. */
export function unlessAborted<Result>(
  promise: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, reject);
    promise.then(resolve, reject).finally(release);
  });
}

/** Resolves after a delay; rejects if the signal fires first. */
export function pause(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(delayMs, () => {
      release();
      resolve();
    });
    const release = onAbort(signal, (reason) => {
      cancel();
      reject(reason);
    });
  });
}
