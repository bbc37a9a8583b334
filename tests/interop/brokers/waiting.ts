import { systemClock } from '@weir/core';

export function pause(ms = 50): Promise<void> {
  return new Promise((resolve) => systemClock.after(ms, resolve));
}

/** Retries until it succeeds; the test timeout is the limit. */
export async function untilSucceeds(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch {
      await pause();
    }
  }
}

/** Waits for the promise, or returns `undefined` after the time. */
export async function within<Value>(timeoutMs: number, promise: Promise<Value>): Promise<Value | undefined> {
  let cancel: (() => void) | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    cancel = systemClock.after(timeoutMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    cancel?.();
  }
}
