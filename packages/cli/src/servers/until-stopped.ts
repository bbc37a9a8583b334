import type { Clock } from '@weir/core';
import { loopTurn } from '../loop-turn.ts';

/** What a server that was stopped before it was ready may take to end what it had begun. Nothing in it is anybody's yet. */
const unreadyEndMsMax = 2_000;

/** Waits until the user asks the command to stop. */
export function untilStopped(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Runs a server from its start to its end, which may come before it is ready: then nothing waits for the start, whatever that waits
 * for. `end` ends what has been started, also when the rest fails.
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
  // What the command is made of has just been loaded, which takes its time.
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

/** Ends after `longestMs` even if the work does not. What it fails of then concerns nobody. */
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
