import type { Delivery, FlushWhen, Input, Output } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import type { Chain } from './chain.ts';
import { withOrigins } from './outcomes.ts';
import { partsOf } from './parts.ts';
import { endedError } from './pending-read.ts';
import { WriteTurns, writeParts } from './write-parts.ts';

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
      else this.#parts.push(...partsOf(delivery, batches));
    }
  }

  async close(): Promise<void> {
    for (const part of this.#parts.splice(0)) await part.settle(endedError());
    await this.#input.close();
    await this.#chain.close();
  }
}

/** An output with processors of its own, which are applied to one batch after the other. */
export class ProcessedOutput implements Output {
  readonly #output: Output;
  readonly #chain: Chain;
  readonly #turns = new WriteTurns();

  constructor(output: Output, chain: Chain) {
    this.#output = output;
    this.#chain = chain;
  }

  write(batch: Batch, stop: AbortSignal): Promise<void> {
    return this.#turns.take(() => writeParts(this.#output, this.#chain, batch, stop));
  }

  ready(): Promise<void> | undefined {
    return this.#turns.idle() ?? this.#output.ready?.();
  }

  async flush(when?: FlushWhen): Promise<void> {
    await this.#output.flush?.(when);
  }

  async close(): Promise<void> {
    await this.#output.close();
    await this.#chain.close();
  }
}
