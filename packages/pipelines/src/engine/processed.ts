import type { Delivery, Input, Output } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import type { Chain } from './chain.ts';
import { failedIndexes, sharedSettling, withOrigins } from './shared-settling.ts';

/** An input with processors of its own. */
export class ProcessedInput implements Input {
  readonly #input: Input;
  readonly #chain: Chain;
  /** Parts of a delivery that the processors made several batches of. */
  readonly #parts: Delivery[] = [];

  constructor(input: Input, chain: Chain) {
    this.#input = input;
    this.#chain = chain;
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    for (;;) {
      const part = this.#parts.shift();
      if (part !== undefined) return part;
      const delivery = await this.#input.read(stop);
      if (delivery === undefined) return undefined;
      const batches = await this.#chain.process(withOrigins(delivery.batch), stop);
      if (batches.length === 0) await delivery.settle();
      const settle = sharedSettling(delivery, batches.length);
      for (const batch of batches) this.#parts.push(partOf(batch, settle));
    }
  }

  async close(): Promise<void> {
    await this.#input.close();
    await this.#chain.close();
  }
}

/** A part speaks of its own places; the delivery has to know them as those of its messages. */
function partOf(batch: Batch, settle: Delivery['settle']): Delivery {
  return {
    batch: withOrigins(batch),
    settle: (error, failed) => {
      if (error === undefined) return settle();
      const messages = failed === undefined ? batch : [...failed].map((index) => batch[index]!);
      return settle(error, failedIndexes(messages, error));
    },
  };
}

/** An output with processors of its own. */
export class ProcessedOutput implements Output {
  readonly #output: Output;
  readonly #chain: Chain;

  constructor(output: Output, chain: Chain) {
    this.#output = output;
    this.#chain = chain;
  }

  async write(batch: Batch, stop: AbortSignal): Promise<void> {
    const batches = await this.#chain.process(batch, stop);
    // Their messages are others than those of the batch, so that a failure of some is one of all.
    await Promise.all(batches.map((processed) => this.#output.write(processed, stop))).catch(
      (error: Error) => {
        throw new Error(error.message, { cause: error });
      },
    );
  }

  ready(): Promise<void> | undefined {
    return this.#output.ready?.();
  }

  async flush(): Promise<void> {
    await this.#output.flush?.();
  }

  async close(): Promise<void> {
    await this.#output.close();
    await this.#chain.close();
  }
}
