import type { RE2JS } from 're2js';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { reasonOf } from '../component/failures.ts';
import { bool, child, durationMs, list } from '../component/field-types.ts';
import { BatchFailure, type FlushWhen, type Output } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import { pattern } from '../component/pattern-field.ts';
import { failedOf } from '../engine/outcomes.ts';

interface Options {
  readonly onError: boolean;
  readonly patterns: readonly RE2JS[];
  readonly backPressureMs: number | undefined;
}

/** Drops messages that the output within fails on, or takes too long for. */
class DropOn implements Output {
  readonly #output: Output;
  readonly #options: Options;
  readonly #context: Pick<ComponentContext, 'clock' | 'log'>;
  /** Writes that took too long and have not ended. */
  #late = 0;

  constructor(output: Output, options: Options, context: Pick<ComponentContext, 'clock' | 'log'>) {
    this.#output = output;
    this.#options = options;
    this.#context = context;
  }

  ready(): Promise<void> | undefined {
    return this.#options.backPressureMs === undefined ? this.#output.ready?.() : undefined;
  }

  async write(batch: Batch, stop: AbortSignal): Promise<void> {
    const { backPressureMs } = this.#options;
    try {
      if (backPressureMs === undefined) await this.#output.write(batch, stop);
      else await this.#writeWithin(backPressureMs, batch, stop);
    } catch (error) {
      this.#dropped(batch, error as Error);
    }
  }

  async flush(when?: FlushWhen): Promise<void> {
    await this.#output.flush?.(when);
  }

  close(): Promise<void> {
    return this.#output.close();
  }

  #dropped(batch: Batch, error: Error): void {
    const { log } = this.#context;
    const kept = new Map<number, Error>();
    const failed = failedOf(batch, error);
    for (const [index, reason] of failed) if (!this.#isDropped(reason)) kept.set(index, reason);
    if (kept.size < failed.size)
      log.warn('failed to write, and dropped messages', {
        error: reasonOf(error),
        messages: failed.size - kept.size,
      });
    if (kept.size === 0) return;
    throw kept.size === batch.length && !(error instanceof BatchFailure) ? error : new BatchFailure(kept);
  }

  #isDropped({ message }: Error): boolean {
    const { onError, patterns } = this.#options;
    return onError || patterns.some((pattern) => pattern.matcher(message).find());
  }

  /** After a batch took too long, others fail at once until the output can take one again. */
  async #writeWithin(limitMs: number, batch: Batch, stop: AbortSignal): Promise<void> {
    const tooLong = new Error(`the output was not ready within ${limitMs} ms`);
    if (this.#late > 0) throw tooLong;
    let isOver = false;
    let cancel: () => void = () => {};
    const over = new Promise<never>((_, reject) => {
      cancel = this.#context.clock.after(limitMs, () => {
        isOver = true;
        this.#late++;
        reject(tooLong);
      });
    });
    const writing = this.#writeUnless(() => isOver, batch, stop).finally(() => {
      if (isOver) this.#late--;
    });
    writing.catch(() => undefined);
    try {
      await Promise.race([writing, over]);
    } finally {
      cancel();
    }
  }

  async #writeUnless(isOver: () => boolean, batch: Batch, stop: AbortSignal): Promise<void> {
    await this.#output.ready?.();
    if (!isOver()) await this.#output.write(batch, stop);
  }
}

export const dropOn = componentOf('output', {
  name: 'drop_on',
  connectionsCountedBy: 'its children',
  about: 'Drops messages that the output within fails on, instead of writing them again.',
  fields: {
    error: bool('Whether messages are dropped that the output fails on, whatever the error.').or(false),
    error_patterns: list(
      'Messages are dropped if the error of the output matches one of these patterns.',
      pattern('A pattern of RE2.'),
    ).optional(),
    back_pressure: durationMs(
      'How long the output may take for a batch; after that its messages are dropped if `error` is true, and failed otherwise.',
    ).optional(),
    output: child('output', 'Where messages are written to.'),
  },
  check({ error, error_patterns: patterns }, reading, place) {
    if (error && (patterns?.length ?? 0) > 0)
      reading.problem(place, 'error_patterns has no effect if error is true; remove one of them');
  },
  open: async (
    { error: onError, error_patterns: patterns = [], back_pressure: backPressureMs, output },
    context,
  ) => new DropOn(await context.open(output), { onError, patterns, backPressureMs }, context),
});
