import type { Delivery, Input } from '../component/instances.ts';

/** Reads that are started once and may be waited for several times, while something else can happen meanwhile. */
export class PendingRead {
  readonly #input: Pick<Input, 'read'>;
  #reading: Promise<Delivery | undefined> | undefined;

  constructor(input: Pick<Input, 'read'>) {
    this.#input = input;
  }

  /** The next delivery; `interrupted` if that happens before it is there, and the next call goes on waiting. */
  async next(
    stop: AbortSignal,
    interrupted: Promise<unknown>,
  ): Promise<Delivery | undefined | 'interrupted'> {
    this.#reading ??= this.#input.read(stop);
    const reading = this.#reading;
    try {
      const read = await Promise.race([reading, interrupted.then(() => 'interrupted' as const)]);
      if (read !== 'interrupted') this.#reading = undefined;
      return read;
    } catch (error) {
      this.#reading = undefined;
      throw error;
    }
  }

  /** No caller waits any more: what is read nevertheless goes back. */
  abandon(): void {
    this.#reading?.then(
      (delivery) => delivery?.settle(endedError()),
      () => undefined,
    );
    this.#reading = undefined;
  }
}

/** Messages were read and not written when the pipeline ended; the input delivers them another time. */
export function endedError(): Error {
  return new Error('the pipeline ended before the messages were written');
}

/** A promise that others resolve: the next thing that happens. */
export class Wake {
  #resolve: (() => void) | undefined;

  /** Resolves with the next `wake`. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  wake(): void {
    this.#resolve?.();
    this.#resolve = undefined;
  }
}
