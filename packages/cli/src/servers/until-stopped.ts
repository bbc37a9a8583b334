import type { Clock } from '@weir/core';
import { loopTurn } from '../loop-turn.ts';

/** How long a server that was stopped before it was ready may take to clean up. No client depends on it yet. */
const unreadyEndMsMax = 2_000;

/** Waits until the user asks the command to stop. */
export function untilStopped(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Runs a server from start to end. If it is stopped before it is ready, the start is not awaited. `end` ends what has
 * been started, also if the rest fails.
 */
export async function serveUntilStopped<Server>(options: {
  readonly start: () => Promise<Server>;
  readonly onReady: (server: Server) => void;
  readonly end: () => Promise<void>;
  readonly stop: AbortSignal;
  readonly clock: Clock;
}): Promise<void> {
  const { start, onReady, end, stop, clock } = options;
  let isUnready = false;
  // Loading the modules of the command took a while, so a signal may be pending.
  await loopTurn(clock);
  if (stop.aborted) return;
  try {
    const started = await Promise.race([
      start().then((server) => ({ server })),
      untilStopped(stop).then(() => undefined),
    ]);
    isUnready = started === undefined;
    if (started === undefined) return;
    onReady(started.server);
    await untilStopped(stop);
  } finally {
    await (isUnready ? atMost(unreadyEndMsMax, end(), clock) : end());
  }
}

/** Resolves after `longestMs` even if the work has not ended. Errors of the work are ignored. */
function atMost(longestMs: number, work: Promise<void>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(longestMs, resolve);
    const done = () => {
      cancel();
      resolve();
    };
    work.then(done, done);
  });
}
