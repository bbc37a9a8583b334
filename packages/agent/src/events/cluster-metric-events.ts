import { type MeasuredClusterView, readStats, type SeriesValue } from '@weir/cluster';
import { type Clock, type Log, type Metrics, scrapedName } from '@weir/core';
import type { EventEmitter } from '@weir/events/emission';
import { agentLimits } from '../limits.ts';
import { eventRows } from './event-metrics.ts';

interface ClusterMetricEventsOptions {
  readonly view: MeasuredClusterView;
  readonly emitter: EventEmitter;
  /** Whether this agent is the one that emits them. Evaluated before every round. */
  readonly isReporter: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export const roundIntervalMs = 60_000;
/** How soon after events are switched on the first round starts. */
const checkIntervalMs = 1_000;
/** Number of events that are emitted at a time, so that neither clients nor other events are delayed. */
const portionCount = 500;
const portionPauseMs = 100;

/**
 * Independent of the published metrics: includes groups, and topics as a whole, since events per partition would be too
 * many.
 */
const settings = { includesGroups: true, withoutTags: ['partition'] } as const;

/** Emits the metrics of the cluster as events, once a minute, whether or not they are also published as metrics. */
export class ClusterMetricEvents {
  readonly #options: ClusterMetricEventsOptions;
  #cancel: (() => void) | undefined;
  #lastRoundMs = Number.NEGATIVE_INFINITY;
  #hasStopped = false;

  constructor(options: ClusterMetricEventsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cancel = this.#options.clock.after(checkIntervalMs, () => {
      void this.#reportIfDue().then(() => {
        if (!this.#hasStopped) this.start();
      });
    });
  }

  stop(): void {
    this.#hasStopped = true;
    this.#cancel?.();
  }

  async #reportIfDue(): Promise<void> {
    const { emitter, isReporter, clock, log } = this.#options;
    if (!emitter.isOn('cluster_metrics') || !isReporter()) return;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#lastRoundMs < roundIntervalMs) return;
    this.#lastRoundMs = nowMs;
    try {
      await this.#emitAll();
    } catch (error) {
      log.warn('failed to emit cluster metrics as events', { error: String(error) });
    }
  }

  async #emitAll(): Promise<void> {
    const { view, emitter, clock, metrics } = this.#options;
    const timeMs = clock.nowMs();
    const { stats } = await readStats(view, settings, clock);
    let emittedCount = 0;
    let leftOut = 0;
    for (const { row, stats: ofRow } of stats.families()) {
      for (const stat of ofRow.values()) {
        if (emittedCount === agentLimits.clusterMetricEventsMax) {
          leftOut++;
          continue;
        }
        if (this.#hasStopped) return;
        emitter.emit('cluster_metrics', dataOf(row.name, stat), { timeMs });
        if (++emittedCount % portionCount === 0) await this.#pause();
      }
    }
    metrics.series(eventRows.metricsLeftOut, {}).add(leftOut);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.after(portionPauseMs, resolve);
    });
  }
}

function dataOf(name: string, { labels, value }: SeriesValue) {
  return { metric_name: scrapedName(name), value, tags: labels };
}
