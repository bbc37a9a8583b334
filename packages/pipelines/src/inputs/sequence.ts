import type { ComponentConfig } from '../component/component-config.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { object } from '../component/field.ts';
import { children, int, oneOf, string } from '../component/field-types.ts';
import type { Delivery, Input } from '../component/instances.ts';

/** Reads from one input after the other. The next is opened when all messages of the one before are settled. */
class Sequence implements Input {
  readonly #configs: readonly ComponentConfig<'input'>[];
  readonly #context: ComponentContext;
  #at = 0;
  #current: Input | undefined;
  #unsettled = 0;

  constructor(configs: readonly ComponentConfig<'input'>[], context: ComponentContext) {
    this.#configs = configs;
    this.#context = context;
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    while (!stop.aborted) {
      const config = this.#configs[this.#at];
      if (config === undefined) return undefined;
      this.#current ??= await this.#context.open(config);
      const wasSettled = this.#unsettled === 0;
      const delivery = await this.#current.read(stop);
      if (delivery !== undefined) return this.#tracked(delivery);
      if (!wasSettled || stop.aborted) return undefined;
      await this.#current.close();
      this.#current = undefined;
      this.#at++;
    }
    return undefined;
  }

  async close(): Promise<void> {
    await this.#current?.close();
  }

  #tracked(delivery: Delivery): Delivery {
    this.#unsettled++;
    return {
      batch: delivery.batch,
      settle: async (error, failed) => {
        try {
          await delivery.settle(error, failed);
        } finally {
          this.#unsettled--;
        }
      },
    };
  }
}

export const sequence = componentOf('input', {
  name: 'sequence',
  connectionsCountedBy: 'its children',
  about: 'Reads from one input until it ends, then from the next.',
  fields: {
    sharded_join: object('Joins of messages; not available here.', {
      type: oneOf('The type of the join; only `none` is available.', ['none', 'full-outer', 'outer']).or(
        'none',
      ),
      id_path: string('Where the identifier of a message is.').or(''),
      iterations: int('In how many parts messages are joined.').or(1),
      merge_strategy: oneOf('Which values of the same field a joined message has.', [
        'array',
        'replace',
        'keep',
      ]).or('array'),
    }).advanced(),
    inputs: children('input', 'The inputs, in order.').check((inputs) =>
      inputs.length === 0 ? 'has to have an input' : undefined,
    ),
  },
  check({ sharded_join: join }, reading, place) {
    if (join !== undefined && join.type !== undefined && join.type !== 'none')
      reading.problem(
        place,
        'sharded_join is known and not available in this release; join messages elsewhere',
      );
  },
  open: ({ inputs }, context) => new Sequence(inputs, context),
});
