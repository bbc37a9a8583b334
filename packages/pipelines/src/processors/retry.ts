import { pauseUnlessStopped } from '@weir/core';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { object } from '../component/field.ts';
import { bool, children, durationMs, int } from '../component/field-types.ts';
import type { Processor } from '../component/instances.ts';
import type { Batch, Message } from '../component/message.ts';
import { Chain } from '../engine/chain.ts';
import { pipelineLimits } from '../limits.ts';
import { gathered } from './chains.ts';
import { sideBySide } from './parallel.ts';

interface Options {
  readonly firstMs: number;
  readonly maxMs: number;
  /** 0 is without end. */
  readonly elapsedMsMax: number;
  readonly retriesMax: number;
  readonly isParallel: boolean;
}

/** Each pause is this much longer than the one before, give or take half of it. */
const growth = 1.5;
const randomPart = 0.5;
const nanosPerMs = 1_000_000;

/** Applies processors to a message until none fails on it. */
class Retry implements Processor {
  readonly #options: Options;
  readonly #chain: Chain;
  readonly #context: ComponentContext;

  constructor(options: Options, chain: Chain, context: ComponentContext) {
    this.#options = options;
    this.#chain = chain;
    this.#context = context;
  }

  async process(batch: Batch, stop: AbortSignal): Promise<readonly Batch[]> {
    const atATime = this.#options.isParallel ? pipelineLimits.parallelMessagesMax : 1;
    return gathered(await sideBySide(batch, atATime, (index) => this.#retried(batch[index]!, stop)));
  }

  async #retried(message: Message, stop: AbortSignal): Promise<readonly Batch[]> {
    const { clock, random } = this.#context;
    const { firstMs, maxMs, elapsedMsMax, retriesMax } = this.#options;
    const original = message.withError(undefined);
    const beganMs = clock.monotonicMs();
    let pausedMs = 0;
    for (let retries = 0, intervalMs = firstMs; ; intervalMs = Math.min(maxMs, intervalMs * growth)) {
      const batches = await this.#chain.process([original], stop);
      const hasFailed = batches.some((batch) => batch.some(({ error }) => error !== undefined));
      if (hasFailed) retries++;
      const isOver = elapsedMsMax > 0 && clock.monotonicMs() - beganMs + intervalMs > elapsedMsMax;
      if (!hasFailed || retries === retriesMax || isOver)
        return batches.map((batch) => batch.map((result) => withCounts(result, retries, pausedMs)));
      const pauseMs = intervalMs * (1 - randomPart + 2 * randomPart * random.next());
      pausedMs += pauseMs;
      await pauseUnlessStopped(clock, pauseMs, stop);
      if (stop.aborted) throw new Error('the pipeline ended before another attempt');
    }
  }

  async close(): Promise<void> {
    await this.#chain.close();
  }
}

/** Durations are counted in nanoseconds, as in Go. */
function withCounts(message: Message, retries: number, pausedMs: number): Message {
  const metadata = new Map(message.metadata)
    .set('retry_count', retries)
    .set('backoff_duration', Math.round(pausedMs * nanosPerMs));
  return message.withMetadata(metadata);
}

export const retry = componentOf('processor', {
  name: 'retry',
  about: 'Applies processors to each message until none fails on it, each time to the message as it came.',
  fields: {
    backoff: object('Pauses between attempts.', {
      initial_interval: durationMs('The first pause.').or('500ms'),
      max_interval: durationMs('The longest pause.').or('10s'),
      max_elapsed_time: durationMs('How long attempts are made; 0s is without end.').or('1m'),
    }),
    processors: children('processor', 'Applied to each message.'),
    parallel: bool('Whether messages of a batch are worked on at the same time.').or(false),
    max_retries: int('Attempts; 0 is any number.').or(0),
  },
  async open({ backoff, processors, parallel: isParallel, max_retries: retriesMax }, context) {
    const options: Options = {
      firstMs: Math.max(0, backoff.initial_interval ?? 0),
      maxMs: Math.max(0, backoff.max_interval ?? 0),
      elapsedMsMax: backoff.max_elapsed_time ?? 0,
      retriesMax,
      isParallel,
    };
    return new Retry(options, await Chain.open(processors, context), context);
  },
});
