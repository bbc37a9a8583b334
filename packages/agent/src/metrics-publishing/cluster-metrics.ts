import type { ClusterView } from '@weir/broker';
import {
  type AgentDescription,
  addHealthStats,
  type ClusterMetricsSettings,
  type GroupLimits,
  leftOutRow,
  PublishedStats,
  readStats,
} from '@weir/cluster';
import { type Clock, type Log, type MetricRow, type Metrics, seriesPerMetricMax } from '@weir/core';
import { takesJobs } from '@weir/jobs';

export interface ClusterMetricsOptions {
  readonly view: ClusterView;
  readonly settings: ClusterMetricsSettings;
  /** Whether this process is the one that publishes. Evaluated before every round. */
  readonly isPublisher: () => boolean;
  readonly limits?: GroupLimits;
  /** Limit on the series of one metric. */
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
 * Publishes the metrics of the whole cluster among the metrics of this process, at intervals. If the cluster is
 * unavailable, the last values stay, and the counter of rounds shows that they are old.
 */
export class ClusterMetrics {
  readonly #options: ClusterMetricsOptions;
  readonly #shown: PublishedStats;
  #cancel: (() => void) | undefined;
  #hasStopped = false;
  #hasFailed = false;
  #isPublishing = false;

  constructor(options: ClusterMetricsOptions) {
    this.#options = options;
    this.#shown = new PublishedStats(options.metrics, { seriesMax: options.seriesMax ?? seriesPerMetricMax });
  }

  start(): void {
    void this.#runRound();
  }

  stop(): void {
    this.#hasStopped = true;
    this.#cancel?.();
  }

  /** One round: publishes the current state of the cluster and removes everything else. */
  async publish(): Promise<void> {
    const { view, settings, limits, clock, metrics } = this.#options;
    const { stats, groupsLeftOut } = await readStats(view, settings, clock, limits);
    await addHealthStats(view.clusterId, view.port, stats);
    if (this.#hasStopped) return;
    const seriesLeftOut = this.#shown.show(stats);
    this.#isPublishing = true;
    metrics.series(leftOutRow, { what: 'groups' }).set(groupsLeftOut);
    metrics.series(leftOutRow, { what: 'series' }).set(seriesLeftOut);
  }

  async #runRound(): Promise<void> {
    const { isPublisher, clock } = this.#options;
    if (isPublisher()) await this.#tryPublish();
    else this.#unpublish();
    if (!this.#hasStopped) this.#cancel = clock.after(publishIntervalMs, () => void this.#runRound());
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
      // Logged once per outage.
      if (!this.#hasFailed) {
        log.warn('failed to publish cluster metrics', { error: String(error) });
      }
      this.#hasFailed = true;
    }
  }

  /** Another process publishes now, and values published twice would be counted twice. */
  #unpublish(): void {
    if (!this.#isPublishing) return;
    this.#isPublishing = false;
    this.#shown.clear();
    for (const what of ['groups', 'series']) this.#options.metrics.remove(leftOutRow, { what });
  }
}

/**
 * Whether an agent is the one that publishes: of the agents that take such jobs the one with the smallest id. Agents
 * may see different lists for a moment; then two agents publish, or none, until the next round. An agent counts itself
 * even if the list does not contain it yet.
 */
export function isPublishingAgent(agentId: string, agents: readonly AgentDescription[]): boolean {
  return agents.every((agent) => !takesJobs(agent, 'metrics') || agent.agentId >= agentId);
}
