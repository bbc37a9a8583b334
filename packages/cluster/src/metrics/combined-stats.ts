import type { MetricRow } from '@weir/core';
import type { PublishedMetric, SwitchedTag } from './published-metric.ts';

export interface SeriesValue {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

interface Family {
  readonly row: MetricRow;
  readonly metric: PublishedMetric;
  readonly stats: Map<string, SeriesValue>;
}

/**
 * The stats of one round. Stats that differ in an enabled tag are separate series; the others are combined as their
 * metric defines.
 */
export class CombinedStats {
  readonly #without: ReadonlySet<string>;
  readonly #families = new Map<string, Family>();

  constructor(without: readonly SwitchedTag[]) {
    this.#without = new Set(without);
  }

  add<Label extends string>(
    metric: PublishedMetric<Label>,
    labels: Readonly<Record<NoInfer<Label>, string>>,
    value: number,
  ): void {
    const { row, stats } = this.#family(metric);
    // The length prefix makes keys unambiguous. A string key is cheap: there may be a million stats in a round.
    let key = '';
    for (const label of row.labels) key += `${labels[label as Label].length} ${labels[label as Label]}`;
    const stat = stats.get(key);
    if (stat !== undefined) stat.value = combine[metric.combined](stat.value, value);
    else {
      const retained = Object.fromEntries(row.labels.map((label) => [label, labels[label as Label]]));
      stats.set(key, { labels: retained, value });
    }
  }

  *families(): Iterable<{ readonly row: MetricRow; readonly stats: ReadonlyMap<string, SeriesValue> }> {
    yield* this.#families.values();
  }

  #family(metric: PublishedMetric): Family {
    let family = this.#families.get(metric.name);
    if (family === undefined) {
      const { name, kind, help, labels } = metric;
      const row = { name, kind, help, labels: labels.filter((label) => !this.#without.has(label)) };
      family = { row, metric, stats: new Map() };
      this.#families.set(name, family);
    }
    return family;
  }
}

const combine: Record<PublishedMetric['combined'], (a: number, b: number) => number> = {
  sum: (a, b) => a + b,
  max: Math.max,
  min: Math.min,
};
