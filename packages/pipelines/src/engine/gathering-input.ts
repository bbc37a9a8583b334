import type { ComponentContext } from '../component/component-context.ts';
import type { Delivery, Input } from '../component/instances.ts';
import { type BatchingFields, BatchPolicy, gathers } from './batch-policy.ts';
import { endedError, PendingRead, Wake } from './pending-read.ts';
import { ProcessedInput } from './processed.ts';

/** Gathers deliveries of an input into larger ones. Each of them is settled with what became of its messages. */
class GatheringInput implements Input {
  readonly #input: Input;
  readonly #policy: BatchPolicy;
  readonly #context: Pick<ComponentContext, 'clock' | 'heldBack'>;
  readonly #reads: PendingRead;
  readonly #due = new Wake();
  #isDue = false;
  #cancelPeriod: (() => void) | undefined;
  #deliveries: Delivery[] = [];
  readonly #ungather: () => void;

  constructor(input: Input, policy: BatchPolicy, context: Pick<ComponentContext, 'clock' | 'heldBack'>) {
    this.#input = input;
    this.#policy = policy;
    this.#context = context;
    this.#reads = new PendingRead(input);
    this.#ungather = context.heldBack.gather(() => this.#release());
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    for (;;) {
      if (this.#isDue && !this.#policy.isEmpty) return this.#take();
      const read = await this.#reads.next(stop, this.#due.next());
      if (read === 'interrupted') continue;
      if (read === undefined) return this.#policy.isEmpty ? undefined : this.#take();
      if (this.#add(read)) return this.#take();
    }
  }

  async close(): Promise<void> {
    this.#cancelPeriod?.();
    this.#ungather();
    this.#reads.abandon();
    for (const delivery of this.#deliveries.splice(0)) await delivery.settle(endedError());
    await this.#input.close();
  }

  /** Whether the batch is complete. */
  #add(delivery: Delivery): boolean {
    if (this.#deliveries.length === 0) {
      const periodMs = this.#policy.periodMs();
      if (periodMs !== undefined)
        this.#cancelPeriod = this.#context.clock.after(periodMs, () => this.#release());
    }
    this.#deliveries.push(delivery);
    return this.#policy.add(delivery.batch);
  }

  /** The batch is delivered as it is, if there is one. */
  #release(): void {
    if (this.#policy.isEmpty) return;
    this.#isDue = true;
    this.#due.wake();
  }

  #take(): Delivery {
    this.#cancelPeriod?.();
    this.#isDue = false;
    const deliveries = this.#deliveries;
    this.#deliveries = [];
    return {
      batch: this.#policy.take(),
      settle: async (error, failed) => {
        let from = 0;
        const settling: (void | Promise<void>)[] = [];
        for (const delivery of deliveries) {
          const count = delivery.batch.length;
          const own = failed && placesWithin(failed, from, count);
          settling.push(
            error === undefined || own?.size === 0 ? delivery.settle() : delivery.settle(error, own),
          );
          from += count;
        }
        await Promise.all(settling);
      },
    };
  }
}

function placesWithin(failed: ReadonlySet<number>, from: number, count: number): Set<number> {
  const own = new Set<number>();
  for (let index = 0; index < count; index++) if (failed.has(from + index)) own.add(index);
  return own;
}

/** An input with the batching that its configuration has. */
export async function gatheredInput(
  input: Input,
  fields: BatchingFields,
  context: ComponentContext,
): Promise<Input> {
  if (!gathers(fields)) return input;
  const policy = await BatchPolicy.open(fields, context);
  const gathering = new GatheringInput(input, policy, context);
  return policy.chain.isEmpty ? gathering : new ProcessedInput(gathering, policy.chain);
}
