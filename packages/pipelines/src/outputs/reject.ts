import { componentWith } from '../component/component-spec.ts';
import { child, interpolated } from '../component/field-types.ts';
import type { FlushWhen, Output } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import { Outcomes, withOrigins } from '../engine/outcomes.ts';

export const reject = componentWith('output', {
  name: 'reject',
  about:
    'Fails on every message with the text of its configuration; the input delivers them again or gives them up.',
  field: interpolated('The error.').check((error) => (error.fixed === '' ? 'has to be a text' : undefined)),
  open: (error, { mappingPorts }) => ({
    write: async (batch: Batch) => {
      throw new Error(error.text(batch, 0, mappingPorts));
    },
    close: async () => {},
  }),
});

/** Fails on messages on which processors failed, and writes the others. */
class RejectErrored implements Output {
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  ready(): Promise<void> | undefined {
    return this.#output.ready?.();
  }

  async write(given: Batch, stop: AbortSignal): Promise<void> {
    if (given.every(({ error }) => error === undefined)) return this.#output.write(given, stop);
    const batch = withOrigins(given);
    const outcomes = new Outcomes(batch.length);
    for (const message of batch)
      if (message.error !== undefined)
        outcomes.failed([message], new Error(`rejecting due to failed processing: ${message.error.message}`));
    const rest = batch.filter(({ error }) => error === undefined);
    if (rest.length > 0)
      await this.#output.write(rest, stop).then(
        () => outcomes.written(rest),
        (error: Error) => outcomes.failed(rest, error),
      );
    outcomes.throwFailure();
  }

  async flush(when?: FlushWhen): Promise<void> {
    await this.#output.flush?.(when);
  }

  close(): Promise<void> {
    return this.#output.close();
  }
}

export const rejectErrored = componentWith('output', {
  name: 'reject_errored',
  connectionsCountedBy: 'its children',
  about: 'Writes messages, except those on which a processor failed: these are failures of the output.',
  field: child('output', 'Where messages are written to.'),
  open: async (output, context) => new RejectErrored(await context.open(output)),
});
