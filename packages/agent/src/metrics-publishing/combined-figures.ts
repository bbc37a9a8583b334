import type { MetricRow, Metrics } from '@weir/core';
import type { PublishedMetric, SwitchedTag } from './published-metrics.ts';

interface Figure {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

interface Family {
  readonly row: MetricRow;
  readonly metric: PublishedMetric;
  readonly figures: Map<string, Figure>;
}

/** The series of one metric that are shown, by their key. */
interface ShownMetric {
  readonly row: MetricRow;
  readonly series: Map<string, Figure['labels']>;
}

/**
 * The figures of one round. Those that the tags which are left tell apart are kept apart, and the others are combined as their metric
 * says.
 */
export class CombinedFigures {
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
    const { row, figures } = this.#family(metric);
    const kept: Record<string, string> = {};
    for (const label of row.labels) kept[label] = labels[label as Label];
    const key = JSON.stringify(Object.values(kept));
    const figure = figures.get(key);
    if (figure === undefined) figures.set(key, { labels: kept, value });
    else figure.value = combine[metric.combined](figure.value, value);
  }

  *families(): Iterable<{ readonly row: MetricRow; readonly figures: ReadonlyMap<string, Figure> }> {
    yield* this.#families.values();
  }

  #family(metric: PublishedMetric): Family {
    let family = this.#families.get(metric.name);
    if (family === undefined) {
      const { name, kind, help, labels } = metric;
      const row = { name, kind, help, labels: labels.filter((label) => !this.#without.has(label)) };
      family = { row, metric, figures: new Map() };
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

/** Shows the figures of the latest round among the metrics of this process, and nothing of earlier ones. */
export class ShownFigures {
  readonly #metrics: Metrics;
  readonly #seriesMax: number;
  #shown: ReadonlyMap<string, ShownMetric> = new Map();

  constructor(metrics: Metrics, { seriesMax }: { readonly seriesMax: number }) {
    this.#metrics = metrics;
    this.#seriesMax = seriesMax;
  }

  /** Returns how many figures found no place. They are the same in every round, as long as figures are added in the same order. */
  show(figures: CombinedFigures): number {
    const shown = new Map<string, ShownMetric>();
    let leftOut = 0;
    for (const { row, figures: ofRow } of figures.families()) {
      const series = new Map<string, Figure['labels']>();
      for (const [key, { labels }] of ofRow) {
        if (series.size === this.#seriesMax) break;
        series.set(key, labels);
      }
      leftOut += ofRow.size - series.size;
      shown.set(row.name, { row, series });
    }
    // First what has ceased to be, so that what is new has its place.
    for (const [name, { row, series }] of this.#shown) {
      const stays = shown.get(name)?.series;
      for (const [key, labels] of series) if (stays?.has(key) !== true) this.#metrics.remove(row, labels);
    }
    for (const { row, figures: ofRow } of figures.families()) {
      for (const [key, labels] of shown.get(row.name)!.series) {
        this.#metrics.series(row, labels).set(ofRow.get(key)!.value);
      }
    }
    this.#shown = shown;
    return leftOut;
  }

  clear(): void {
    this.show(new CombinedFigures([]));
  }
}
