import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { failedBy, reasonOf } from '../component/failures.ts';
import { bool, interpolated, oneOf, resource } from '../component/field-types.ts';
import type { Processor } from '../component/instances.ts';
import type { Interpolated } from '../component/interpolated.ts';
import { after, inOrder, type Later } from '../component/later.ts';
import type { Batch, Message, Origin } from '../component/message.ts';
import { callerOf } from './cache.ts';

interface Options {
  readonly label: string;
  readonly key: Interpolated;
  readonly dropsOnError: boolean;
  readonly isLastKept: boolean;
}

type Replay = NonNullable<Origin['replay']>;

const present = Buffer.from('t');

/** Drops messages whose key is in a cache. */
class Dedupe implements Processor {
  readonly #options: Options;
  readonly #context: ComponentContext;
  /**
   * Keys that a message has put into the cache, and at which attempt: one that could not be written and is delivered
   * again finds its own key, and is no duplicate.
   */
  readonly #own = new WeakMap<Replay, Map<string, number>>();

  constructor(options: Options, context: ComponentContext) {
    this.#options = options;
    this.#context = context;
  }

  process(batch: Batch): Later<readonly Batch[]> {
    const cache = callerOf(this.#context.resources.get('cache', this.#options.label));
    const { isLastKept } = this.#options;
    const indexes = batch.map((_, index) => (isLastKept ? batch.length - 1 - index : index));
    const checked = inOrder(indexes, (index): Later<Message | undefined> => {
      const message = batch[index]!;
      let key: string;
      try {
        key = this.#options.key.text(batch, index, this.#context.mappingPorts);
      } catch (error) {
        return failedBy(message, `key interpolation error: ${reasonOf(error)}`, this.#context, 'dedupe');
      }
      try {
        const isNew = after(cache.add(key, present), (added) => added || this.#isReplayed(message, key));
        const kept = after(isNew, (yes) => (yes ? this.#noted(message, key) : undefined));
        return kept instanceof Promise ? kept.catch((error: unknown) => this.#failed(message, error)) : kept;
      } catch (error) {
        return this.#failed(message, error);
      }
    });
    return after(checked, (messages) => {
      const kept = messages.filter((message) => message !== undefined);
      if (kept.length === 0) return [];
      return [isLastKept ? kept.toReversed() : kept];
    });
  }

  #isReplayed({ origin }: Message, key: string): boolean {
    const { replay } = origin ?? {};
    const attempt = replay && this.#own.get(replay)?.get(key);
    return attempt !== undefined && attempt < replay!.attempts;
  }

  #noted(message: Message, key: string): Message {
    const { replay } = message.origin ?? {};
    if (replay === undefined) return message;
    const keys = this.#own.get(replay);
    if (keys === undefined) this.#own.set(replay, new Map([[key, replay.attempts]]));
    else keys.set(key, replay.attempts);
    return message;
  }

  #failed(message: Message, error: unknown): Message | undefined {
    this.#context.log.error('failed to add a key to the cache', { error: reasonOf(error) });
    return this.#options.dropsOnError ? undefined : failedBy(message, error, this.#context, 'dedupe');
  }
}

export const dedupe = componentOf('processor', {
  name: 'dedupe',
  about: 'Drops messages whose key is in a cache, and adds the keys of the others.',
  fields: {
    cache: resource('cache', 'The label of the cache.'),
    key: interpolated('The key.').check((key) => (key.fixed === '' ? 'is empty' : undefined)),
    drop_on_err: bool('Whether messages are dropped while the cache fails.').or(true),
    strategy: oneOf('Of messages of a batch with the same key, `FIFO` keeps the first and `LIFO` the last.', [
      'FIFO',
      'LIFO',
    ])
      .or('FIFO')
      .advanced(),
  },
  open: ({ cache: label, key, drop_on_err: dropsOnError, strategy }, context) =>
    new Dedupe({ label, key, dropsOnError, isLastKept: strategy === 'LIFO' }, context),
});
