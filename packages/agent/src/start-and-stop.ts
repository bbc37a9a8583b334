import type { Clock } from '@weir/core';

/** An unreachable control plane must not use up the time that is meant for clients. */
export const leaveMsMax = 5_000;

/** Waits for a part of the start; `end` makes it fail. */
export async function unlessGivenUp(
  part: Promise<void>,
  end: () => void,
  givenUp: AbortSignal | undefined,
): Promise<void> {
  if (givenUp?.aborted === true) end();
  givenUp?.addEventListener('abort', end, { once: true });
  try {
    await part;
  } finally {
    givenUp?.removeEventListener('abort', end);
  }
}

export function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Waits for a promise, at most `ms`. */
export function within(clock: Clock, ms: number, promise: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    void promise.finally(() => {
      cancel();
      resolve();
    });
  });
}
