import type { MetricRow, Metrics } from '@weir/core';
import { CombinedStats, type Figure } from './combined-stats.ts';

/** The series of one metric that are shown, by their key. */
interface ShownMetric {
  readonly row: MetricRow;
  readonly series: Map<string, Figure['labels']>;
}

interface SeriesLimits {
  /** Of one metric. */
  readonly seriesMax: number;
  /** Of all of them together. */
  readonly allSeriesMax?: number;
}

/** Shows the stats of the latest round among the metrics of this process, and nothing of earlier ones. */
export class PublishedStats {
  readonly #metrics: Metrics;
  readonly #limits: Required<SeriesLimits>;
  #shown: ReadonlyMap<string, ShownMetric> = new Map();

  constructor(metrics: Metrics, { seriesMax, allSeriesMax = Number.POSITIVE_INFINITY }: SeriesLimits) {
    this.#metrics = metrics;
    this.#limits = { seriesMax, allSeriesMax };
  }

  /** Returns how many stats found no place. They are the same in every round, as long as stats are added in the same order. */
  show(stats: CombinedStats): number {
    const { seriesMax, allSeriesMax } = this.#limits;
    const shown = new Map<string, ShownMetric>();
    let room = allSeriesMax;
    let leftOut = 0;
    for (const { row, stats: ofRow } of stats.families()) {
      const series = new Map<string, Figure['labels']>();
      for (const [key, { labels }] of ofRow) {
        if (series.size === Math.min(seriesMax, room)) break;
        series.set(key, labels);
      }
      room -= series.size;
      leftOut += ofRow.size - series.size;
      shown.set(row.name, { row, series });
    }
    // First what has ceased to be, so that what is new has its place.
    for (const [name, { row, series }] of this.#shown) {
      const stays = shown.get(name)?.series;
      for (const [key, labels] of series) if (stays?.has(key) !== true) this.#metrics.remove(row, labels);
    }
    for (const { row, stats: ofRow } of stats.families()) {
      for (const [key, labels] of shown.get(row.name)!.series) {
        this.#metrics.series(row, labels).set(ofRow.get(key)!.value);
      }
    }
    this.#shown = shown;
    return leftOut;
  }

  clear(): void {
    this.show(new CombinedStats([]));
  }
}
