import type { Mapping } from '@weir/bloblang';
import { nextTurn } from '@weir/core';
import { isTrueFor } from '../component/check.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { reasonOf } from '../component/failures.ts';
import { bool, children, int, mapping } from '../component/field-types.ts';
import type { Processor } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import { Chain } from '../engine/chain.ts';
import { pipelineLimits } from '../limits.ts';

interface Options {
  readonly check: Mapping;
  readonly loopsMax: number;
  readonly isCheckedFirst: boolean;
}

/** Rounds after which other work has its turn, so that a loop that waits for nothing can be stopped. */
const roundsAtATime = 100;

/** Applies processors to a batch again and again. */
class While implements Processor {
  readonly #options: Options;
  readonly #chain: Chain;
  readonly #context: ComponentContext;

  constructor(options: Options, chain: Chain, context: ComponentContext) {
    this.#options = options;
    this.#chain = chain;
    this.#context = context;
  }

  async process(batch: Batch, stop: AbortSignal): Promise<readonly Batch[]> {
    const { loopsMax, isCheckedFirst } = this.#options;
    let batches: readonly Batch[] = [batch];
    let goesOn = !isCheckedFirst || this.#isTrue(batch);
    for (let loops = 0; goesOn; loops++) {
      if (loopsMax > 0 && loops >= loopsMax) break;
      if (loops >= pipelineLimits.loopsMax)
        throw new Error(
          `the loop took more than ${pipelineLimits.loopsMax} rounds; set max_loops or the check`,
        );
      if (loops % roundsAtATime === roundsAtATime - 1) await nextTurn(this.#context.clock);
      if (stop.aborted) throw new Error('the pipeline ended in a loop');
      batches = await this.#round(batches, stop);
      const [first] = batches;
      if (first === undefined) return [];
      goesOn = this.#isTrue(first);
    }
    return batches;
  }

  async #round(batches: readonly Batch[], stop: AbortSignal): Promise<readonly Batch[]> {
    const processed: Batch[] = [];
    let count = 0;
    for (const batch of batches)
      for (const result of await this.#chain.process(batch, stop)) {
        processed.push(result);
        count += result.length;
      }
    if (count > pipelineLimits.loopMessagesMax)
      throw new Error(`the loop made more than ${pipelineLimits.loopMessagesMax} messages of a batch`);
    return processed;
  }

  /** A check that fails is not true, as in Bento. */
  #isTrue(batch: Batch): boolean {
    try {
      return isTrueFor(this.#options.check, batch, 0, this.#context.mappingPorts);
    } catch (error) {
      this.#context.log.warn('failed to check a loop', { error: reasonOf(error) });
      return false;
    }
  }

  async close(): Promise<void> {
    await this.#chain.close();
  }
}

export const whileProcessor = componentOf('processor', {
  name: 'while',
  about: 'Applies processors to a batch as long as a query is true for its first message.',
  fields: {
    at_least_once: bool('Whether the query is checked only after the first round.').or(false),
    max_loops: int('Rounds at most; 0 is as many as the limit of the service allows.').or(0).advanced(),
    check: mapping('A query; there is another round if it is true.').or(''),
    processors: children('processor', 'Applied in each round.'),
  },
  check({ check }, reading, place) {
    if (check === undefined) reading.problem(place, 'check is missing');
  },
  async open({ check, processors, max_loops: loopsMax, at_least_once: isOnceAtLeast }, context) {
    const chain = await Chain.open(processors, context);
    return new While({ check: check!, loopsMax, isCheckedFirst: !isOnceAtLeast }, chain, context);
  },
});
