import { componentWith } from '../component/component-spec.ts';
import { reasonOf } from '../component/failures.ts';
import { children } from '../component/field-types.ts';
import type { FlushWhen, Output } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import { failedOf, Outcomes, withOrigins } from '../engine/outcomes.ts';
import { ChildOutputs } from './child-outputs.ts';

/** Writes to the next output what the one before failed on. */
class Fallback implements Output {
  readonly #outputs: ChildOutputs;

  constructor(outputs: ChildOutputs) {
    this.#outputs = outputs;
  }

  ready(): Promise<void> | undefined {
    return this.#outputs.all[0]!.ready?.();
  }

  async write(given: Batch, stop: AbortSignal): Promise<void> {
    const batch = withOrigins(given);
    let rest = batch;
    let failure: Error | undefined;
    for (const output of this.#outputs.all) {
      if (failure !== undefined) await output.ready?.();
      const current = rest;
      try {
        await output.write(current, stop);
        return;
      } catch (error) {
        failure = error as Error;
        rest = [...failedOf(current, failure)].map(([at, reason]) =>
          current[at]!.withEntry('fallback_error', reasonOf(reason)),
        );
      }
    }
    const failed = new Set(rest.map(({ origin }) => origin!.index));
    const outcomes = new Outcomes(batch.length);
    outcomes.written(batch.filter((_, index) => !failed.has(index)));
    outcomes.failed(rest, new Error(failure!.message, { cause: failure }));
    outcomes.throwFailure();
  }

  flush(when?: FlushWhen): Promise<void> {
    return this.#outputs.flush(when);
  }

  close(): Promise<void> {
    return this.#outputs.close();
  }
}

export const fallback = componentWith('output', {
  name: 'fallback',
  connectionsCountedBy: 'its children',
  about: 'Writes to the first output, and what it fails on to the next, with the metadata `fallback_error`.',
  field: children('output', 'The outputs, in order.').check((outputs) =>
    outputs.length === 0 ? 'has to have an output' : undefined,
  ),
  open: async (outputs, context) => new Fallback(await ChildOutputs.open(outputs, context)),
});
