import type { Clock } from '@weir/core';

/** Nothing answered in time. */
export class NoAnswerInTime extends Error {
  constructor(timeoutMs: number, options?: ErrorOptions) {
    super(`no response within ${timeoutMs} ms`, options);
  }
}

/** Aborts the signal of `run` after `timeoutMs` or with `stop`. Throws `NoAnswerInTime` if it was late. */
export async function withinTime<Output>(
  {
    clock,
    timeoutMs,
    stop,
  }: { readonly clock: Clock; readonly timeoutMs: number; readonly stop: AbortSignal },
  run: (signal: AbortSignal) => Promise<Output>,
): Promise<Output> {
  const late = new AbortController();
  const cancel = clock.after(timeoutMs, () => late.abort());
  try {
    return await run(AbortSignal.any([late.signal, stop]));
  } catch (error) {
    throw late.signal.aborted ? new NoAnswerInTime(timeoutMs, { cause: error }) : error;
  } finally {
    cancel();
  }
}
