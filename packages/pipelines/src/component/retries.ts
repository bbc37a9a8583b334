import { pauseUnlessStopped } from '@weir/core';
import type { ComponentContext } from './component-context.ts';
import { type Field, object, type Values } from './field.ts';
import { durationMs } from './field-types.ts';

/** Go durations, as they are the defaults of a field. */
interface Defaults {
  readonly initial: string;
  readonly max: string;
  readonly elapsed: string;
}

const backOff = ({ initial, max, elapsed }: Defaults) => ({
  initial_interval: durationMs('The pause before the second attempt.').or(initial),
  max_interval: durationMs('The longest pause between two attempts.').or(max),
  max_elapsed_time: durationMs('How long attempts are made; without end if it is 0.').or(elapsed),
});

type Retries = Values<ReturnType<typeof backOff>>;

/** How requests are repeated. */
export function retries(defaults: Defaults): Field<Retries> {
  return object('How failed requests are repeated.', backOff(defaults)).advanced();
}

/** Calls until it succeeds or the time for attempts is over. Throws the last error. */
export async function retried<Result>(
  { initial_interval = 500, max_interval = 1_000, max_elapsed_time = 0 }: Retries,
  { clock, stop }: Pick<ComponentContext, 'clock' | 'stop'>,
  call: () => Promise<Result>,
): Promise<Result> {
  const beganMs = clock.monotonicMs();
  for (let pauseMs = initial_interval; ; pauseMs = Math.min(pauseMs * 2, max_interval)) {
    try {
      return await call();
    } catch (error) {
      const spentMs = clock.monotonicMs() - beganMs + pauseMs;
      if (stop.aborted || (max_elapsed_time > 0 && spentMs > max_elapsed_time)) throw error;
    }
    await pauseUnlessStopped(clock, pauseMs, stop);
  }
}
