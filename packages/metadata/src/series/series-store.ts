import type { MetricSeries, SeriesQuery, SeriesRead, SeriesTags } from '@weir/cluster';
import {
  type SeriesMetricName,
  type SeriesTag,
  seriesMetrics,
  seriesShortStepMs,
  seriesTags,
} from '@weir/core';
import { metadataLimits } from '../limits.ts';
import { Ring } from './ring.ts';

interface StoredSeries {
  readonly metric: SeriesMetricName;
  readonly tags: SeriesTags;
  readonly ring: Ring;
}

/** Counts the series of all clusters of this process. */
export class SeriesBudget {
  count = 0;
  readonly #max: number;

  constructor(max: number = metadataLimits.processSeriesMax) {
    this.#max = max;
  }

  get isSpent(): boolean {
    return this.count >= this.#max;
  }
}

/** A series without a value for this many steps may make room for a new one. */
const idleSteps = 6;

/**
 * The series of one cluster, in memory only: a new leader begins anew. Their number is limited, per cluster and per
 * process; beyond it, new ones take the place of those that have ended.
 */
export class SeriesStore {
  readonly #series = new Map<string, StoredSeries>();
  readonly #budget: SeriesBudget;
  readonly #seriesMax: number;

  constructor(budget: SeriesBudget, seriesMax: number = metadataLimits.clusterSeriesMax) {
    this.#budget = budget;
    this.#seriesMax = seriesMax;
  }

  get size(): number {
    return this.#series.size;
  }

  /** Adds a value. It is dropped if there is no room for its series. */
  put(metric: SeriesMetricName, tags: SeriesTags, step: number, value: number): void {
    const key = keyOf(metric, tags);
    let stored = this.#series.get(key);
    if (stored === undefined) {
      if (!this.#hasRoom(step)) return;
      stored = { metric, tags, ring: new Ring(seriesMetrics[metric].merge, step) };
      this.#series.set(key, stored);
      this.#budget.count++;
    }
    if (step > stored.ring.last) stored.ring.put(step, value);
  }

  /** Forgets the series of a tag, such as those of a group. */
  drop(tag: SeriesTag, name: string): void {
    for (const [key, { tags }] of this.#series) if (tags[tag] === name) this.#delete(key);
  }

  /** Forgets series whose last value is older than the given step. */
  dropBefore(step: number): void {
    for (const [key, { ring }] of this.#series) if (ring.last < step) this.#delete(key);
  }

  close(): void {
    this.#budget.count -= this.#series.size;
    this.#series.clear();
  }

  /** Those with the largest last values first, of each metric as many as wanted. */
  read({ metrics, fromMs, stepMs, count, groupBy, tags, seriesMax }: SeriesQuery): SeriesRead {
    const found = new Map<string, MetricSeries[]>(metrics.map((metric) => [metric, []]));
    for (const { metric, tags: own, ring } of this.#series.values()) {
      const list = found.get(metric);
      if (list === undefined || !isWanted(own, tags, groupBy)) continue;
      list.push({ metric, tags: own, values: ring.read(fromMs, stepMs, count) });
    }
    const series: MetricSeries[] = [];
    let leftOut = 0;
    for (const list of found.values()) {
      const weights = new Map(list.map((one) => [one, weightOf(one.values)]));
      list.sort((a, b) => weights.get(b)! - weights.get(a)!);
      series.push(...list.slice(0, seriesMax));
      leftOut += Math.max(0, list.length - seriesMax);
    }
    return { series, leftOut };
  }

  #hasRoom(step: number): boolean {
    if (this.#series.size < this.#seriesMax && !this.#budget.isSpent) return true;
    let oldest: { readonly key: string; readonly last: number } | undefined;
    for (const [key, { ring }] of this.#series)
      if (ring.last < (oldest?.last ?? step - idleSteps)) oldest = { key, last: ring.last };
    if (oldest === undefined) return false;
    this.#delete(oldest.key);
    return true;
  }

  #delete(key: string): void {
    if (this.#series.delete(key)) this.#budget.count--;
  }
}

/** The lengths make it unambiguous. Every sample looks for each of its series. */
function keyOf(metric: string, tags: SeriesTags): string {
  let [lengths, names] = ['', ''];
  for (const tag of seriesTags) {
    const name = tags[tag];
    lengths += name === undefined ? ' -' : ` ${name.length}`;
    if (name !== undefined) names += name;
  }
  return `${metric}${lengths} ${names}`;
}

/** A series has the tags that are given or grouped by, and no others. */
function isWanted(own: SeriesTags, given: SeriesTags, groupBy: SeriesTag | null): boolean {
  return seriesTags.every((tag) => {
    if (given[tag] !== undefined) return own[tag] === given[tag];
    return (own[tag] !== undefined) === (tag === groupBy);
  });
}

/** The last value, and the largest one of series that have ended. */
function weightOf(values: Float64Array): number {
  const last = values.findLast((value) => !Number.isNaN(value)) ?? 0;
  const recent = values.slice(-2).some((value) => !Number.isNaN(value));
  return recent ? last : last * Number.EPSILON;
}

export const stepOf = (timeMs: number): number => Math.floor(timeMs / seriesShortStepMs);
