import type { Output } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import type { Chain } from './chain.ts';
import { Outcomes, withOrigins } from './outcomes.ts';

/** What a turn leaves behind: a write that began, and how it ends. */
export interface Begun {
  readonly written: Promise<void>;
}

/** Lets writes begin one after the other; they may end in any order. */
export class WriteTurns {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** Calls `begin` when the writes before have begun. Resolves and rejects as the write that it began does. */
  take(begin: () => Promise<Begun>): Promise<void> {
    this.#waiting++;
    const begun = this.#last.then(begin).finally(() => this.#waiting--);
    this.#last = begun.then(ignore, ignore);
    return begun.then(({ written }) => written);
  }

  /** Resolves when all writes have begun; absent if they have. */
  idle(): Promise<void> | undefined {
    return this.#waiting === 0 ? undefined : this.#last;
  }
}

/** Applies processors to a batch and begins to write what they make of it, in order. */
export async function writeParts(
  output: Output,
  chain: Chain,
  batch: Batch,
  stop: AbortSignal,
): Promise<Begun> {
  const outcomes = new Outcomes(batch.length);
  const writes: Promise<void>[] = [];
  for (const part of await chain.process(withOrigins(batch), stop)) {
    await output.ready?.();
    writes.push(
      output.write(part, stop).then(
        () => outcomes.written(part),
        (error: Error) => outcomes.failed(part, error),
      ),
    );
  }
  return { written: Promise.all(writes).then(() => outcomes.throwFailure()) };
}

function ignore(): void {}
