import type { Mapping } from '@weir/bloblang';
import { isTrueFor } from '../component/check.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf, componentWith } from '../component/component-spec.ts';
import { failedBy, reasonOf } from '../component/failures.ts';
import { object } from '../component/field.ts';
import { bytes, children, int, interpolated, list, mapping } from '../component/field-types.ts';
import type { Processor } from '../component/instances.ts';
import { after, inOrder, type Later } from '../component/later.ts';
import type { Batch, Message } from '../component/message.ts';
import { Chain } from '../engine/chain.ts';

interface Group {
  readonly check: Mapping;
  readonly chain: Chain;
}

/** Makes a batch of each group of messages. */
class GroupBy implements Processor {
  readonly #groups: readonly Group[];
  readonly #context: ComponentContext;

  constructor(groups: readonly Group[], context: ComponentContext) {
    this.#groups = groups;
    this.#context = context;
  }

  process(batch: Batch, stop: AbortSignal): Later<readonly Batch[]> {
    const members = this.#groups.map((): Message[] => []);
    const others: Message[] = [];
    batch.forEach((message, index) => {
      (members[this.#groupOf(batch, index)] ?? others).push(message);
    });
    const processed = inOrder(members, (group, at) =>
      group.length === 0 ? [] : this.#groups[at]!.chain.process(group, stop),
    );
    return after(processed, (results) => [...results.flat(), ...(others.length === 0 ? [] : [others])]);
  }

  /** The first whose check is true; one that fails is not. */
  #groupOf(batch: Batch, index: number): number {
    return this.#groups.findIndex(({ check }) => {
      try {
        return isTrueFor(check, batch, index, this.#context.mappingPorts);
      } catch (error) {
        this.#context.log.warn('failed to check a group', { error: reasonOf(error) });
        return false;
      }
    });
  }

  async close(): Promise<void> {
    for (const { chain } of this.#groups) await chain.close();
  }
}

const groupFields = object('A group.', {
  check: mapping('A query; a message is in the first group for which it is true.'),
  processors: children('processor', 'Applied to the batch of the group.').or([]),
});

const groupBy = componentWith('processor', {
  name: 'group_by',
  about: 'Makes a batch of each group of messages, and one of those that are in none.',
  field: list('The groups.', groupFields),
  check(groups, reading, place) {
    if (groups.some(({ check }) => check === undefined))
      reading.problem(place, 'a group has to have a check');
  },
  async open(groups, context) {
    const opened: Group[] = [];
    for (const { check, processors } of groups)
      opened.push({ check: check!, chain: await Chain.open(processors, context) });
    return new GroupBy(opened, context);
  },
});

const groupByValue = componentOf('processor', {
  name: 'group_by_value',
  about: 'Makes a batch of all messages for which a text is the same.',
  fields: { value: interpolated('The text.') },
  open: ({ value }, context) => ({
    process(batch) {
      const groups = new Map<string, Message[]>();
      const put = (key: string, message: Message) => {
        const group = groups.get(key);
        if (group === undefined) groups.set(key, [message]);
        else group.push(message);
      };
      batch.forEach((message, index) => {
        try {
          put(value.text(batch, index, context.mappingPorts), message);
        } catch (error) {
          put('', failedBy(message, error, context, 'group_by_value'));
        }
      });
      return [...groups.values()];
    },
  }),
});

const split = componentOf('processor', {
  name: 'split',
  about: 'Makes smaller batches of a batch.',
  fields: {
    size: int('Messages of a batch; 0 is any number.').or(1),
    byte_size: bytes('Bytes of a batch, unless one message has more; 0 is any size.').or(0),
  },
  open: ({ size, byte_size: bytesMax }) => ({
    process(batch) {
      const batches: Message[][] = [];
      let current: Message[] | undefined;
      let byteCount = 0;
      for (const message of batch) {
        const messageBytes = bytesMax > 0 ? message.byteLength : 0;
        const isFull =
          current !== undefined &&
          ((size > 0 && current.length >= size) || (bytesMax > 0 && byteCount + messageBytes > bytesMax));
        if (current === undefined || isFull) {
          current = [];
          byteCount = 0;
          batches.push(current);
        }
        current.push(message);
        byteCount += messageBytes;
      }
      return batches;
    },
  }),
});

export const groupingProcessors = [groupBy, groupByValue, split];
