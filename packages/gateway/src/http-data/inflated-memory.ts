import type { AnswerMemory } from '@weir/broker';
import { brokerLimits } from '@weir/broker';
import { type Clock, MemoryCounter, Semaphore } from '@weir/core';
import { gatewayLimits } from '../limits.ts';
import { overloaded } from './request-body.ts';

/** How long an answer waits for others to be read. */
const waitMs = 1_000;

/**
 * Batches that are inflated for answers over HTTP. Some hundred bytes can inflate to 128 MiB, which stay in memory
 * until the client has read them, so that they count as answers of all listeners do, and there are few at a time.
 */
export class InflatedMemory {
  readonly #answers: AnswerMemory;
  readonly #clock: Clock;
  readonly #memory = new MemoryCounter(gatewayLimits.httpInflatedBytesMax);
  /** What a batch will take is not known before it is inflated. */
  readonly #inflations = new Semaphore({ permits: brokerLimits.offThreadInflationsMax });

  constructor(answers: AnswerMemory, clock: Clock) {
    this.#answers = answers;
    this.#clock = clock;
  }

  get bytes(): number {
    return this.#memory.bytes;
  }

  /** Inflates a batch, which counts until `release` is called. Throws a problem if others take too much too long. */
  inflate(run: () => Promise<Buffer>): Promise<{ readonly bytes: Buffer; release(): void }> {
    return this.#inflations.run(async () => {
      if (this.#memory.isFull) await this.#untilFree();
      if (this.#memory.isFull) throw overloaded();
      const bytes = await run();
      this.#change(bytes.length);
      return { bytes, release: () => this.#change(-bytes.length) };
    });
  }

  #change(byBytes: number): void {
    this.#memory.change(byBytes);
    this.#answers.change(byBytes);
  }

  #untilFree(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        this.#memory.forget(end);
        resolve();
      };
      const cancel = this.#clock.after(waitMs, end);
      this.#memory.whenFree(end);
    });
  }
}
