import type { Mapping } from '@weir/bloblang';
import { isTrueFor } from '../component/check.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { componentWith } from '../component/component-spec.ts';
import { failedBy, reasonOf } from '../component/failures.ts';
import { object } from '../component/field.ts';
import { bool, children, list, mapping } from '../component/field-types.ts';
import type { Processor } from '../component/instances.ts';
import { after, type Later } from '../component/later.ts';
import type { Batch, Message, Origin } from '../component/message.ts';
import { Chain } from '../engine/chain.ts';

interface Case {
  readonly check: Mapping | undefined;
  readonly fallsThrough: boolean;
  readonly chain: Chain;
}

/** Messages on their way through the cases. */
interface Progress {
  /** Which no case has taken yet. */
  readonly remaining: readonly Message[];
  /** Which the next case takes unchecked. */
  readonly carried: readonly Message[];
  readonly done: Message[];
}

/** Applies to each message the processors of the first case that takes it. */
class Switch implements Processor {
  readonly #cases: readonly Case[];
  readonly #context: ComponentContext;

  constructor(cases: readonly Case[], context: ComponentContext) {
    this.#cases = cases;
    this.#context = context;
  }

  process(batch: Batch, stop: AbortSignal): Later<readonly Batch[]> {
    const [tagged, places] = withPlaces(batch);
    const progress = { remaining: tagged, carried: [], done: [] };
    return after(this.#from(0, progress, stop), (messages) => {
      if (messages.length === 0) return [];
      const placeOf = ({ origin }: Message) => places.get(origin) ?? batch.length;
      return [messages.toSorted((a, b) => placeOf(a) - placeOf(b))];
    });
  }

  #from(at: number, { remaining, carried, done }: Progress, stop: AbortSignal): Later<readonly Message[]> {
    const chosen = this.#cases[at];
    if (chosen === undefined) return [...done, ...remaining];
    const passed: Message[] = [...carried];
    const others: Message[] = [];
    remaining.forEach((message, index) => {
      try {
        const { check } = chosen;
        const isTaken = check === undefined || isTrueFor(check, remaining, index, this.#context.mappingPorts);
        (isTaken ? passed : others).push(message);
      } catch (error) {
        done.push(
          failedBy(message, `failed to test case ${at}: ${reasonOf(error)}`, this.#context, 'switch'),
        );
      }
    });
    if (passed.length === 0) return this.#from(at + 1, { remaining: others, carried: [], done }, stop);
    return after(chosen.chain.process(passed, stop), (batches) => {
      const processed = batches.flat();
      // Nothing comes after the last case.
      const isCarried = chosen.fallsThrough && at + 1 < this.#cases.length;
      if (!isCarried) for (const message of processed) done.push(message);
      return this.#from(at + 1, { remaining: others, carried: isCarried ? processed : [], done }, stop);
    });
  }

  async close(): Promise<void> {
    for (const { chain } of this.#cases) await chain.close();
  }
}

/** Changed copies of a message keep its origin, by which they get their order back. */
function withPlaces(batch: Batch): [tagged: Batch, places: ReadonlyMap<Origin | undefined, number>] {
  const places = new Map<Origin | undefined, number>();
  const tagged = batch.map((message, index) => {
    const { origin } = message;
    // Messages that were made of one share its origin.
    const own = origin !== undefined && places.has(origin) ? message.withOrigin({ ...origin }) : message;
    places.set(own.origin, index);
    return own;
  });
  return [tagged, places];
}

const caseFields = object('A case.', {
  check: mapping('A query; the case takes a message for which it is true, and each if it is empty.').or(''),
  processors: children('processor', 'Applied to the messages of the case.').or([]),
  fallthrough: bool('Whether the next case takes them too, unchecked.').or(false),
});

export const switchProcessor = componentWith('processor', {
  name: 'switch',
  about: 'Applies to each message the processors of the first case whose check is true for it.',
  field: list('The cases, in order.', caseFields),
  async open(cases, context) {
    const opened: Case[] = [];
    for (const { check, processors, fallthrough } of cases)
      opened.push({ check, fallsThrough: fallthrough, chain: await Chain.open(processors, context) });
    return new Switch(opened, context);
  },
});
