import type { FlushWhen, Output } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';

/** Writes at most so many batches at a time: `max_in_flight`. Others wait for their turn, in the order of calls. */
export class LimitedOutput implements Output {
  readonly #output: Output;
  readonly #inFlightMax: number;
  #inFlight = 0;
  readonly #turns: (() => void)[] = [];
  /** Resolves when a batch could be written at once; shared by all that wait for it. */
  #free: { readonly promise: Promise<void>; resolve(): void } | undefined;

  constructor(output: Output, inFlightMax: number) {
    this.#output = output;
    this.#inFlightMax = Math.max(1, inFlightMax);
  }

  ready(): Promise<void> | undefined {
    if (this.#inFlight < this.#inFlightMax) return this.#output.ready?.();
    this.#free ??= Promise.withResolvers<void>();
    return this.#free.promise.then(() => this.ready());
  }

  async write(batch: Batch, stop: AbortSignal): Promise<void> {
    if (this.#inFlight < this.#inFlightMax) this.#inFlight++;
    // Who ends hands its place over.
    else await new Promise<void>((resolve) => this.#turns.push(resolve));
    try {
      await this.#output.write(batch, stop);
    } finally {
      const next = this.#turns.shift();
      if (next === undefined) this.#inFlight--;
      else next();
      if (this.#inFlight < this.#inFlightMax) {
        this.#free?.resolve();
        this.#free = undefined;
      }
    }
  }

  async flush(when?: FlushWhen): Promise<void> {
    await this.#output.flush?.(when);
  }

  close(): Promise<void> {
    return this.#output.close();
  }
}
