import type { MetricRow, Metrics } from '@weir/core';
import { CombinedStats, type SeriesValue } from './combined-stats.ts';

/** Published series of one metric, by key. */
interface ShownMetric {
  readonly row: MetricRow;
  readonly series: Map<string, SeriesValue['labels']>;
}

interface SeriesLimits {
  /** Limit per metric. */
  readonly seriesMax: number;
  /** Limit over all metrics. */
  readonly allSeriesMax?: number;
}

/** Publishes the stats of the latest round as metrics of this process, and removes those of earlier rounds. */
export class PublishedStats {
  readonly #metrics: Metrics;
  readonly #limits: Required<SeriesLimits>;
  #shown: ReadonlyMap<string, ShownMetric> = new Map();

  constructor(metrics: Metrics, { seriesMax, allSeriesMax = Number.POSITIVE_INFINITY }: SeriesLimits) {
    this.#metrics = metrics;
    this.#limits = { seriesMax, allSeriesMax };
  }

  /**
   * Publishes a round. Returns how many stats exceeded the limits; they are the same in every round if stats are added
   * in the same order.
   */
  show(stats: CombinedStats): number {
    const { seriesMax, allSeriesMax } = this.#limits;
    const shown = new Map<string, ShownMetric>();
    let room = allSeriesMax;
    let leftOut = 0;
    for (const { row, stats: ofRow } of stats.families()) {
      const series = new Map<string, SeriesValue['labels']>();
      for (const [key, { labels }] of ofRow) {
        if (series.size === Math.min(seriesMax, room)) break;
        series.set(key, labels);
      }
      room -= series.size;
      leftOut += ofRow.size - series.size;
      shown.set(row.name, { row, series });
    }
    // Removes series that no longer exist first, to make room for new ones.
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
