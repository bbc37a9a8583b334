import { readFile } from 'node:fs/promises';
import type { MetricRow, Metrics, Series } from '@weir/core';

/** The resources for which the kernel counts stalls of tasks. */
const resources = ['cpu', 'memory', 'io'] as const;
type Resource = (typeof resources)[number];

/** `some`: at least one task waited. `full`: all of them did. */
interface Stall {
  readonly some: number;
  readonly full: number;
}

function row(resource: Resource, share: keyof Stall): MetricRow<never> {
  const tasks = share === 'some' ? 'some task' : 'every task';
  return {
    name: `pressure_${resource}_${share}_pct`,
    kind: 'gauge',
    help: `Percent of the last 10 seconds in which ${tasks} of the container waited for ${resource}.`,
    labels: [],
  };
}

export const stallRows: readonly MetricRow[] = resources.flatMap((resource) => [
  row(resource, 'some'),
  row(resource, 'full'),
]);

/** Paths of the container's own stats, else those of the machine. */
function placesOf(resource: Resource): readonly string[] {
  return [`/sys/fs/cgroup/${resource}.pressure`, `/proc/pressure/${resource}`];
}

/**
 * The kernel's pressure stall stats. On kernels without them the metrics are absent too: a zero would mean that there
 * are no stalls.
 */
export class StallStats {
  readonly #read: (path: string) => Promise<string>;
  readonly #metrics: Metrics;
  readonly #series = new Map<string, Series>();

  constructor(metrics: Metrics, read = (path: string) => readFile(path, 'utf8')) {
    this.#metrics = metrics;
    this.#read = read;
  }

  async update(): Promise<void> {
    await Promise.all(resources.map((resource) => this.#update(resource)));
  }

  async #update(resource: Resource): Promise<void> {
    const stall = await this.#stallOf(resource);
    if (stall === undefined) return;
    for (const share of ['some', 'full'] as const) this.#gauge(resource, share).set(stall[share]);
  }

  async #stallOf(resource: Resource): Promise<Stall | undefined> {
    for (const path of placesOf(resource)) {
      const text = await this.#read(path).catch(() => undefined);
      const stall = text === undefined ? undefined : parseStall(text);
      if (stall !== undefined) return stall;
    }
    return undefined;
  }

  #gauge(resource: Resource, share: keyof Stall): Series {
    const key = `${resource} ${share}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = this.#metrics.series(row(resource, share), {});
      this.#series.set(key, series);
    }
    return series;
  }
}

/** Parses `some avg10=0.12 avg60=…` and `full avg10=…`; older kernels omit the second line for the processor. */
export function parseStall(text: string): Stall | undefined {
  const some = percentIn(text, 'some');
  return some === undefined ? undefined : { some, full: percentIn(text, 'full') ?? 0 };
}

function percentIn(text: string, share: keyof Stall): number | undefined {
  const found = new RegExp(`^${share} avg10=(\\d+(?:\\.\\d+)?)`, 'm').exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
