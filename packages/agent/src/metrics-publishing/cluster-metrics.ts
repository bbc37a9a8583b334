import {
  type AgentDescription,
  type ClusterMetricsSettings,
  type GroupLimits,
  leftOutRow,
  PublishedStats,
  readStats,
} from '@weir/cluster';
import { type Clock, type Log, type MetricRow, type Metrics, seriesPerMetricMax } from '@weir/core';
import type { ClusterView } from '../cluster/cluster-view.ts';

export interface ClusterMetricsOptions {
  readonly view: ClusterView;
  readonly settings: ClusterMetricsSettings;
  /** Whether this process is the one that publishes. Asked before every round. */
  readonly isPublisher: () => boolean;
  readonly limits?: GroupLimits;
  /** Series of one metric. */
  readonly seriesMax?: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export const publishIntervalMs = 15_000;

export const publishOutcomeRow: MetricRow<'outcome'> = {
  name: 'publish_all',
  kind: 'counter',
  help: 'Rounds in which this process published the metrics of its cluster.',
  labels: ['outcome'],
};

/**
 * Publishes the stats of the whole cluster among the metrics of this process, at intervals. When the cluster cannot be asked, the last
 * ones stay, and the counter of rounds tells that they are old.
 */
export class ClusterMetrics {
  readonly #options: ClusterMetricsOptions;
  readonly #shown: PublishedStats;
  #cancel: (() => void) | undefined;
  #hasStopped = false;
  #hasFailed = false;
  #isShowing = false;

  constructor(options: ClusterMetricsOptions) {
    this.#options = options;
    this.#shown = new PublishedStats(options.metrics, { seriesMax: options.seriesMax ?? seriesPerMetricMax });
  }

  start(): void {
    void this.#go();
  }

  stop(): void {
    this.#hasStopped = true;
    this.#cancel?.();
  }

  /** One round: what the cluster is now is told, and nothing else. */
  async publish(): Promise<void> {
    const { view, settings, limits, clock, metrics } = this.#options;
    const { stats, groupsLeftOut } = await readStats(view, settings, clock, limits);
    if (this.#hasStopped) return;
    const seriesLeftOut = this.#shown.show(stats);
    this.#isShowing = true;
    metrics.series(leftOutRow, { what: 'groups' }).set(groupsLeftOut);
    metrics.series(leftOutRow, { what: 'series' }).set(seriesLeftOut);
  }

  async #go(): Promise<void> {
    const { isPublisher, clock } = this.#options;
    if (isPublisher()) await this.#tryPublish();
    else this.#cease();
    if (!this.#hasStopped) this.#cancel = clock.after(publishIntervalMs, () => void this.#go());
  }

  async #tryPublish(): Promise<void> {
    const { log, metrics } = this.#options;
    try {
      await this.publish();
      metrics.series(publishOutcomeRow, { outcome: 'success' }).add(1);
      if (this.#hasFailed) log.info('resumed publishing cluster metrics');
      this.#hasFailed = false;
    } catch (error) {
      if (this.#hasStopped) return;
      metrics.series(publishOutcomeRow, { outcome: 'error' }).add(1);
      // Said once per outage.
      if (!this.#hasFailed) {
        log.warn('failed to publish cluster metrics', { error: String(error) });
      }
      this.#hasFailed = true;
    }
  }

  /** Somebody else publishes now, and two that tell the same would be counted twice. */
  #cease(): void {
    if (!this.#isShowing) return;
    this.#isShowing = false;
    this.#shown.clear();
    for (const what of ['groups', 'series']) this.#options.metrics.remove(leftOutRow, { what });
  }
}

/**
 * Whether an agent is the one that publishes: of those that run jobs the one with the smallest id. Agents may see different lists for a moment, and
 * then two publish, or nobody does, until the next round. An agent counts itself also while the others have not heard of it.
 */
export function isPublishingAgent(agentId: string, agents: readonly AgentDescription[]): boolean {
  return agents.every((agent) => !agent.roles.includes('jobs') || agent.agentId >= agentId);
}
