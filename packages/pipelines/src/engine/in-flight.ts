import type { Clock } from '@weir/core';
import type { Batch } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';

/** Counts what a pipeline has read and not yet written, and makes readers wait at the limit. */
export class InFlight {
  #messages = 0;
  #bytes = 0;
  #settledCount = 0;
  readonly #changed = new Set<() => void>();

  get isEmpty(): boolean {
    return this.#messages === 0;
  }

  /** How many batches were settled. */
  get settledCount(): number {
    return this.#settledCount;
  }

  get isFull(): boolean {
    return (
      this.#messages >= pipelineLimits.inFlightMessagesMax || this.#bytes >= pipelineLimits.inFlightBytesMax
    );
  }

  /** Returns a function that is called when the batch is settled. */
  add(batch: Batch): () => void {
    let bytes = 0;
    for (const message of batch) bytes += message.byteLength;
    this.#messages += batch.length;
    this.#bytes += bytes;
    return () => {
      this.#settledCount++;
      this.#messages -= batch.length;
      this.#bytes -= bytes;
      for (const wake of [...this.#changed]) wake();
    };
  }

  /** Resolves when something was settled, `stop` is aborted, or a time has passed. */
  change(clock: Clock, withinMs: number, stop: AbortSignal): Promise<void> {
    if (stop.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        stop.removeEventListener('abort', done);
        this.#changed.delete(done);
        resolve();
      };
      const cancel = clock.after(withinMs, done);
      this.#changed.add(done);
      stop.addEventListener('abort', done);
    });
  }
}
