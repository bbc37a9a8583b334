import { ApiError, type Client, readsByName } from '@weir/api/client';
import {
  type Clock,
  type JitteredBackOff,
  jitteredBackOffMs,
  pauseUnlessStopped,
  type Random,
} from '@weir/core';

export interface Patience {
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts pauses and calls that only read. Calls that write are awaited, because their outcome would be unknown. */
  readonly stop: AbortSignal;
}

/** Retries after the first attempt. */
const retriesMax = 5;
const callMsMax = 30_000;
/** The longest pause, whatever the server asks for: a user waits at a terminal. */
const pauseMsMax = 60_000;
const backOff: JitteredBackOff = { firstMs: 200, maxMs: pauseMsMax, jitter: 'half' };

/** Retries calls that fail with a retriable error, and waits at least as long as the answer asks for. */
export function patientClient(client: Client, patience: Patience): Client {
  return {
    async call(name, input) {
      for (let retries = 0; ; retries++) {
        try {
          return await callWithDeadline(client, name, input, patience);
        } catch (error) {
          const isWorthIt = error instanceof ApiError && error.isRetriable && retries < retriesMax;
          if (!isWorthIt || patience.stop.aborted) throw error;
          await pause(pauseMs(retries, error, patience.random), patience);
        }
      }
    },
  };
}

async function callWithDeadline<Name extends Parameters<Client['call']>[0]>(
  client: Client,
  name: Name,
  input: Parameters<typeof client.call<Name>>[1],
  { clock, stop }: Patience,
) {
  const deadline = new AbortController();
  const late = new ApiError('unavailable', `${name}: no response within ${callMsMax / 1000} s`);
  const cancel = clock.after(callMsMax, () => deadline.abort(late));
  try {
    const signals = readsByName(name) ? [deadline.signal, stop] : [deadline.signal];
    return await client.call(name, input, { signal: AbortSignal.any(signals) });
  } finally {
    cancel();
  }
}

/** The back-off, or longer if the server asks for it. */
export function pauseMs(retries: number, { retryAfterSeconds }: ApiError, random: Random): number {
  const ownMs = jitteredBackOffMs(retries, backOff, random);
  return Math.min(Math.max(ownMs, (retryAfterSeconds ?? 0) * 1000), pauseMsMax);
}

async function pause(delayMs: number, { clock, stop }: Patience): Promise<void> {
  await pauseUnlessStopped(clock, delayMs, stop);
  stop.throwIfAborted();
}
