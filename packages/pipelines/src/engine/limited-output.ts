import type { Output } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';

/** Writes at most so many batches at a time: `max_in_flight`. */
export class LimitedOutput implements Output {
  readonly #output: Output;
  readonly #inFlightMax: number;
  #inFlight = 0;
  #wake: (() => void)[] = [];

  constructor(output: Output, inFlightMax: number) {
    this.#output = output;
    this.#inFlightMax = Math.max(1, inFlightMax);
  }

  ready(): Promise<void> | undefined {
    if (this.#inFlight < this.#inFlightMax) return this.#output.ready?.();
    return new Promise<void>((resolve) => this.#wake.push(resolve)).then(() => this.ready());
  }

  async write(batch: Batch, stop: AbortSignal): Promise<void> {
    this.#inFlight++;
    try {
      await this.#output.write(batch, stop);
    } finally {
      this.#inFlight--;
      this.#wake.shift()?.();
    }
  }

  async flush(): Promise<void> {
    await this.#output.flush?.();
  }

  close(): Promise<void> {
    return this.#output.close();
  }
}
