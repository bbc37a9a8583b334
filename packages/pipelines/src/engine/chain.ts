import type { ComponentConfig } from '../component/component-config.ts';
import type { ComponentContext, PipelineServices } from '../component/component-context.ts';
import { failedBy } from '../component/failures.ts';
import type { Processor } from '../component/instances.ts';
import { after, inOrder, type Later } from '../component/later.ts';
import type { Batch } from '../component/message.ts';

interface Link {
  readonly processor: Processor;
  readonly config: ComponentConfig<'processor'>;
}

/** Processors that are applied one after the other. */
export class Chain implements Processor {
  readonly #links: readonly Link[];
  readonly #metrics: PipelineServices['metrics'];

  constructor(links: readonly Link[], { metrics }: Pick<PipelineServices, 'metrics'>) {
    this.#links = links;
    this.#metrics = metrics;
  }

  static async open(
    configs: readonly ComponentConfig<'processor'>[],
    context: Pick<ComponentContext, 'open' | 'metrics'>,
  ): Promise<Chain> {
    const links: Link[] = [];
    for (const config of configs) links.push({ config, processor: await context.open(config) });
    return new Chain(links, context);
  }

  get isEmpty(): boolean {
    return this.#links.length === 0;
  }

  /** Answers at once if all processors do: most batches need no promise. */
  process(batch: Batch, stop: AbortSignal): Later<readonly Batch[]> {
    return this.#from(0, [batch], stop, false);
  }

  /** As `process`, but a batch whose first message failed skips the processors that are left. */
  attempt(batch: Batch, stop: AbortSignal): Later<readonly Batch[]> {
    return this.#from(0, [batch], stop, true);
  }

  #from(
    start: number,
    given: readonly Batch[],
    stop: AbortSignal,
    skipsFailed: boolean,
  ): Later<readonly Batch[]> {
    let batches = given;
    for (let at = start; at < this.#links.length; at++) {
      if (batches.length === 0) return batches;
      const link = this.#links[at]!;
      const next =
        batches.length === 1
          ? this.#one(link, batches[0]!, stop, skipsFailed)
          : after(
              inOrder(batches, (batch) => this.#one(link, batch, stop, skipsFailed)),
              (all) => all.flat(),
            );
      if (next instanceof Promise)
        return next.then((processed) => this.#from(at + 1, processed, stop, skipsFailed));
      batches = next;
    }
    return batches;
  }

  #one(link: Link, batch: Batch, stop: AbortSignal, skipsFailed: boolean): Later<readonly Batch[]> {
    if (skipsFailed && batch[0]?.error !== undefined) return [batch];
    try {
      const result = link.processor.process(batch, stop);
      return result instanceof Promise
        ? result.then(
            (batches) => this.#counted(link, batches),
            (error: unknown) => this.#failed(link, batch, error),
          )
        : this.#counted(link, result);
    } catch (error) {
      return this.#failed(link, batch, error);
    }
  }

  #failed(link: Link, batch: Batch, error: unknown): readonly Batch[] {
    const { config } = link;
    return this.#counted(link, [batch.map((message) => failedBy(message, error, config, config.name))]);
  }

  #counted({ config: { path } }: Link, batches: readonly Batch[]): readonly Batch[] {
    let count = 0;
    for (const batch of batches) for (const { error } of batch) if (error?.path === path) count++;
    if (count > 0) this.#metrics.failed(path, count);
    return batches;
  }

  async close(): Promise<void> {
    await Promise.all(this.#links.map(({ processor }) => processor.close?.()));
  }
}
