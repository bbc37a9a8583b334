import type { ComponentConfig } from '../component/component-config.ts';
import type { ComponentContext } from '../component/component-context.ts';
import type { FlushWhen, Output } from '../component/instances.ts';

/** The outputs within another. */
export class ChildOutputs {
  readonly all: readonly Output[];

  constructor(all: readonly Output[]) {
    this.all = all;
  }

  static async open(
    configs: readonly ComponentConfig<'output'>[],
    context: Pick<ComponentContext, 'open'>,
  ): Promise<ChildOutputs> {
    const all: Output[] = [];
    for (const config of configs) all.push(await context.open(config));
    return new ChildOutputs(all);
  }

  /** When all can take a batch; absent if they can now. */
  ready(): Promise<void> | undefined {
    const waits = this.all.map((output) => output.ready?.()).filter((wait) => wait !== undefined);
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => this.ready());
  }

  async flush(when?: FlushWhen): Promise<void> {
    await Promise.all(this.all.map((output) => output.flush?.(when)));
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((output) => output.close()));
  }
}
