import { backOffMs, pauseUnlessStopped } from '@weir/core';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { reasonOf } from '../component/failures.ts';
import { children, int } from '../component/field-types.ts';
import type { Delivery, Input } from '../component/instances.ts';
import { batching } from '../engine/batch-policy.ts';
import { gatheredInput } from '../engine/gathering-input.ts';
import { endedError, Wake } from '../engine/pending-read.ts';
import { pipelineLimits } from '../limits.ts';

interface Child {
  readonly input: Input;
  /** A child that rests has no messages until those that it delivered are settled. */
  state: 'idle' | 'reading' | 'resting' | 'ended';
  unsettled: number;
  failures: number;
}

/** Reads from several inputs at the same time. */
class Broker implements Input {
  readonly #children: readonly Child[];
  readonly #context: ComponentContext;
  /** Deliveries that were read and not taken, at most one of each child. */
  readonly #ready: { readonly child: Child; readonly delivery: Delivery }[] = [];
  readonly #changed = new Wake();
  #isClosed = false;

  constructor(inputs: readonly Input[], context: ComponentContext) {
    this.#children = inputs.map((input) => ({ input, state: 'idle', unsettled: 0, failures: 0 }));
    this.#context = context;
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    for (;;) {
      for (const child of this.#children) if (child.state === 'idle') void this.#start(child, stop);
      const ready = this.#ready.shift();
      if (ready !== undefined) {
        ready.child.state = 'idle';
        return this.#tracked(ready.child, ready.delivery);
      }
      if (stop.aborted || this.#children.every(({ state }) => state === 'resting' || state === 'ended'))
        return undefined;
      // A child that rests goes on when its messages are settled, and the others may have none for a long time.
      const isHeld = this.#children.some(({ state }) => state === 'resting');
      const end = isHeld ? this.#context.heldBack.begin() : undefined;
      await this.#changed.next();
      end?.();
    }
  }

  async #start(child: Child, stop: AbortSignal): Promise<void> {
    child.state = 'reading';
    const wasSettled = child.unsettled === 0;
    try {
      const delivery = await child.input.read(stop);
      child.failures = 0;
      if (delivery === undefined)
        child.state = wasSettled ? 'ended' : child.unsettled === 0 ? 'idle' : 'resting';
      else if (this.#isClosed) await delivery.settle(endedError());
      else this.#ready.push({ child, delivery });
    } catch (error) {
      // The others go on.
      const { log, clock } = this.#context;
      if (!stop.aborted) log.warn('failed to read from an input', { error: reasonOf(error) });
      const { retryMsFirst: firstMs, retryMsMax: maxMs } = pipelineLimits;
      await pauseUnlessStopped(clock, backOffMs(child.failures++, { firstMs, maxMs }), stop);
      child.state = 'idle';
    }
    this.#changed.wake();
  }

  #tracked(child: Child, delivery: Delivery): Delivery {
    child.unsettled++;
    return {
      batch: delivery.batch,
      settle: async (error, failed) => {
        try {
          await delivery.settle(error, failed);
        } finally {
          if (--child.unsettled === 0 && child.state === 'resting') child.state = 'idle';
          this.#changed.wake();
        }
      },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { delivery } of this.#ready.splice(0)) await delivery.settle(endedError());
    await Promise.all(this.#children.map(({ input }) => input.close()));
  }
}

export const broker = componentOf('input', {
  name: 'broker',
  connectionsCountedBy: 'its children',
  about: 'Reads from several inputs at the same time.',
  fields: {
    copies: int('How many times each input is opened.')
      .or(1)
      .advanced()
      .check((copies) =>
        copies >= 1 && copies <= pipelineLimits.copiesMax
          ? undefined
          : `has to be from 1 to ${pipelineLimits.copiesMax}`,
      ),
    inputs: children('input', 'Where messages come from.').check((inputs) =>
      inputs.length === 0 ? 'has to have an input' : undefined,
    ),
    batching,
  },
  async open({ copies, inputs: configs, batching: policy }, context) {
    const inputs: Input[] = [];
    for (let copy = 0; copy < copies; copy++)
      for (const config of configs) inputs.push(await context.open(config));
    const [only] = inputs;
    return gatheredInput(inputs.length === 1 ? only! : new Broker(inputs, context), policy, context);
  },
});
