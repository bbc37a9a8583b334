import { pauseUnlessStopped } from '@weir/core';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { reasonOf } from '../component/failures.ts';
import { object } from '../component/field.ts';
import { child, durationMs, int } from '../component/field-types.ts';
import type { FlushWhen, Output } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import { failedOf, Outcomes, withOrigins } from '../engine/outcomes.ts';

export interface RetryOptions {
  /** 0 is without end. */
  readonly retriesMax: number;
  readonly firstMs: number;
  readonly maxMs: number;
  /** How long it is tried; 0 is without end. */
  readonly elapsedMsMax: number;
}

/** As patterns of a broker retry, and a `switch` with `retry_until_success`. */
export const endlessRetry: RetryOptions = { retriesMax: 0, firstMs: 500, maxMs: 3000, elapsedMsMax: 0 };

type Context = Pick<ComponentContext, 'clock' | 'random' | 'log'>;

/** Writes again what failed. While it does, no other batch is taken. */
export class RetryOutput implements Output {
  readonly #output: Output;
  readonly #options: RetryOptions;
  readonly #context: Context;
  #retrying = 0;
  #idle: { readonly promise: Promise<void>; resolve(): void } | undefined;

  constructor(output: Output, options: RetryOptions, context: Context) {
    this.#output = output;
    this.#options = options;
    this.#context = context;
  }

  ready(): Promise<void> | undefined {
    if (this.#retrying === 0) return this.#output.ready?.();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise.then(() => this.ready());
  }

  async write(batch: Batch, stop: AbortSignal): Promise<void> {
    try {
      await this.#output.write(batch, stop);
    } catch (error) {
      this.#retrying++;
      try {
        await this.#again(withOrigins(batch), error as Error, stop);
      } finally {
        if (--this.#retrying === 0) this.#idle?.resolve();
        if (this.#retrying === 0) this.#idle = undefined;
      }
    }
  }

  async flush(when?: FlushWhen): Promise<void> {
    await this.#output.flush?.(when);
  }

  close(): Promise<void> {
    return this.#output.close();
  }

  /** Only the messages that failed are written again. */
  async #again(batch: Batch, firstError: Error, stop: AbortSignal): Promise<void> {
    const { clock, log } = this.#context;
    const { retriesMax, elapsedMsMax } = this.#options;
    const beganMs = clock.monotonicMs();
    let error = firstError;
    let rest = batch;
    for (let retries = 0; ; retries++) {
      rest = [...failedOf(rest, error).keys()].map((at) => rest[at]!);
      const pauseMs = this.#pauseMs(retries);
      const isLate = elapsedMsMax > 0 && clock.monotonicMs() - beganMs + pauseMs > elapsedMsMax;
      if (stop.aborted || isLate || (retriesMax > 0 && retries >= retriesMax)) break;
      log.warn('failed to write, and tries again', { error: reasonOf(error) });
      await pauseUnlessStopped(clock, pauseMs, stop);
      await this.#output.ready?.();
      try {
        await this.#output.write(rest, stop);
        return;
      } catch (failure) {
        error = failure as Error;
      }
    }
    const outcomes = new Outcomes(batch.length);
    const left = new Set(rest);
    outcomes.written(batch.filter((message) => !left.has(message)));
    outcomes.failed(rest, new Error(error.message, { cause: error }));
    outcomes.throwFailure();
  }

  /** Grows by half each time, and half of it to either side is random, as Bento pauses. */
  #pauseMs(retries: number): number {
    const { firstMs, maxMs } = this.#options;
    const usualMs = Math.min(maxMs, firstMs * 1.5 ** Math.min(retries, 500));
    return usualMs * (0.5 + this.#context.random.next());
  }
}

export const retry = componentOf('output', {
  name: 'retry',
  connectionsCountedBy: 'its children',
  about: 'Writes messages again that the output within failed on, until they are written or it gives up.',
  fields: {
    max_retries: int('Attempts after the first one; 0 is without end.').or(0),
    backoff: object('The pauses between attempts.', {
      initial_interval: durationMs('The first pause.').or('500ms'),
      max_interval: durationMs('The longest pause.').or('3s'),
      max_elapsed_time: durationMs('How long it is tried; `0s` is without end.').or('0s'),
    }),
    output: child('output', 'Where messages are written to.'),
  },
  open: async ({ max_retries: retriesMax, backoff, output }, context) =>
    new RetryOutput(
      await context.open(output),
      {
        retriesMax,
        firstMs: backoff.initial_interval ?? 0,
        maxMs: backoff.max_interval ?? 0,
        elapsedMsMax: backoff.max_elapsed_time ?? 0,
      },
      context,
    ),
});
