import { backOffMs } from '@weir/core';
import type { ComponentContext } from '../component/component-context.ts';
import { reasonOf } from '../component/failures.ts';
import { pipelineLimits } from '../limits.ts';
import { type SqsQueue, sqsBatchMax } from './sqs-queue.ts';

/** How often a deletion is tried. After that, the message comes again when its visibility timeout ends. */
const attemptsMax = 3;

/** Deletes messages that were written, ten at a time, and hands out again those that were not. */
export class SqsSettlements {
  readonly #queue: SqsQueue;
  readonly #context: Pick<ComponentContext, 'log' | 'stop'>;
  #written: string[] = [];
  #deleting: Promise<void> | undefined;
  /** In a row, so that a message that cannot be written does not come back at once. */
  #failures = 0;

  constructor(queue: SqsQueue, context: Pick<ComponentContext, 'log' | 'stop'>) {
    this.#queue = queue;
    this.#context = context;
  }

  written(handle: string): void {
    this.#failures = 0;
    this.#written.push(handle);
    this.#deleting ??= this.#deleteAll().finally(() => {
      this.#deleting = undefined;
    });
  }

  async failed(handle: string): Promise<void> {
    const { retryMsFirst: firstMs, retryMsMax: maxMs } = pipelineLimits;
    const seconds = Math.floor(backOffMs(this.#failures++, { firstMs, maxMs }) / 1000);
    await this.release([handle], seconds);
  }

  /** What cannot be released comes again by itself. */
  async release(handles: readonly string[], seconds: number): Promise<void> {
    try {
      await this.#queue.release(handles, seconds, this.#context.stop);
    } catch (error) {
      this.#context.log.warn('failed to hand a message back to its queue', { error: reasonOf(error) });
    }
  }

  /** Resolves when all that was written is deleted. */
  async end(): Promise<void> {
    while (this.#deleting !== undefined) await this.#deleting;
  }

  async #deleteAll(): Promise<void> {
    while (this.#written.length > 0) await this.#delete(this.#written.splice(0, sqsBatchMax));
  }

  async #delete(handles: readonly string[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#queue.delete(handles, this.#context.stop);
      } catch (error) {
        if (attempt < attemptsMax && !this.#context.stop.aborted) continue;
        return this.#context.log.warn('failed to delete messages that were written', {
          error: reasonOf(error),
          count: handles.length,
        });
      }
    }
  }
}
