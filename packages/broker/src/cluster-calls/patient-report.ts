import { type Clock, pauseUnlessStopped } from '@weir/core';

interface Patience {
  readonly clock: Clock;
  /** Aborted when the agent stops: nothing is waited for then. */
  readonly stop: AbortSignal;
}

/** How long an agent waits before it calls a control plane again that it could not reach. */
export const retryMs = 1_000;

/** Reports the end of work, at most `sendsMax` times. Returns the last error if it was not confirmed. */
export async function reportPatiently(
  send: () => Promise<unknown>,
  sendsMax: number,
  patience: Patience,
): Promise<unknown> {
  for (let sends = 1; ; sends++) {
    try {
      await send();
      return undefined;
    } catch (error) {
      if (sends === sendsMax || patience.stop.aborted) return error;
      await pauseUnlessStopped(patience.clock, retryMs, patience.stop);
    }
  }
}
