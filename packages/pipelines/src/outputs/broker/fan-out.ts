import type { FlushWhen, Output } from '../../component/instances.ts';
import type { Batch } from '../../component/message.ts';
import { Outcomes, withOrigins } from '../../engine/outcomes.ts';
import type { ChildOutputs } from '../child-outputs.ts';

/** Writes every batch to all outputs at the same time. A message is written when all have written it. */
export class FanOut implements Output {
  readonly #outputs: ChildOutputs;

  constructor(outputs: ChildOutputs) {
    this.#outputs = outputs;
  }

  ready(): Promise<void> | undefined {
    return this.#outputs.ready();
  }

  async write(given: Batch, stop: AbortSignal): Promise<void> {
    const batch = withOrigins(given);
    const outcomes = new Outcomes(batch.length);
    await Promise.all(
      this.#outputs.all.map((output) =>
        output.write(batch, stop).then(
          () => outcomes.written(batch),
          (error: Error) => outcomes.failed(batch, error),
        ),
      ),
    );
    outcomes.throwFailure();
  }

  flush(when?: FlushWhen): Promise<void> {
    return this.#outputs.flush(when);
  }

  close(): Promise<void> {
    return this.#outputs.close();
  }
}

/** Writes every batch to one output after the other. */
export class FanOutInTurn implements Output {
  readonly #outputs: ChildOutputs;

  constructor(outputs: ChildOutputs) {
    this.#outputs = outputs;
  }

  ready(): Promise<void> | undefined {
    return this.#outputs.ready();
  }

  async write(batch: Batch, stop: AbortSignal): Promise<void> {
    for (const output of this.#outputs.all) {
      await output.ready?.();
      await output.write(batch, stop).catch((error: Error) => {
        // Outputs that follow have none of the messages, so that all of them failed.
        throw new Error(error.message, { cause: error });
      });
    }
  }

  flush(when?: FlushWhen): Promise<void> {
    return this.#outputs.flush(when);
  }

  close(): Promise<void> {
    return this.#outputs.close();
  }
}
