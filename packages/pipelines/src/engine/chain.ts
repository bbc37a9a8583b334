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

/** A batch that a processor works on. */
interface Counted {
  readonly link: Link;
  readonly received: number;
  readonly beganMs: number;
}

/** Processors that are applied one after the other. */
export class Chain implements Processor {
  readonly #links: readonly Link[];
  readonly #metrics: PipelineServices['metrics'];
  readonly #clock: PipelineServices['clock'];

  constructor(links: readonly Link[], { metrics, clock }: Pick<PipelineServices, 'metrics' | 'clock'>) {
    this.#links = links;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  static async open(
    configs: readonly ComponentConfig<'processor'>[],
    context: Pick<ComponentContext, 'open' | 'metrics' | 'clock'>,
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
    const counted: Counted = { link, received: batch.length, beganMs: this.#clock.monotonicMs() };
    try {
      const result = link.processor.process(batch, stop);
      return result instanceof Promise
        ? result.then(
            (batches) => this.#counted(counted, batches),
            (error: unknown) => this.#failed(counted, batch, error),
          )
        : this.#counted(counted, result);
    } catch (error) {
      return this.#failed(counted, batch, error);
    }
  }

  #failed(counted: Counted, batch: Batch, error: unknown): readonly Batch[] {
    const { config } = counted.link;
    return this.#counted(counted, [batch.map((message) => failedBy(message, error, config, config.name))]);
  }

  #counted({ link, received, beganMs }: Counted, batches: readonly Batch[]): readonly Batch[] {
    const { path } = link.config;
    let failed = 0;
    let sent = 0;
    for (const batch of batches) {
      sent += batch.length;
      for (const { error } of batch) if (error?.path === path) failed++;
    }
    if (failed > 0) this.#metrics.failed(path, failed);
    this.#metrics.processed(path, received, sent, batches.length, this.#clock.monotonicMs() - beganMs);
    return batches;
  }

  async close(): Promise<void> {
    await Promise.all(this.#links.map(({ processor }) => processor.close?.()));
  }
}
