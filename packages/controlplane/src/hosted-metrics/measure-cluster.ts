import {
  type ClusterMetricsSettings,
  type ClusterPort,
  leftOutRow,
  PublishedStats,
  readMeasuredSnapshot,
  readStats,
} from '@weir/cluster';
import { type Clock, Metrics, release, seriesPerMetricMax } from '@weir/core';
import { controlPlaneLimits } from '../limits.ts';
import type { HostedSample } from './hosted-sample.ts';

export interface MeasureOptions {
  /** The leader of a cluster, local or remote. */
  readonly clusterPort: (clusterId: string) => ClusterPort;
  /** Further samples of the cluster. They are few and always included. */
  readonly samplesOf: (clusterId: string) => Promise<readonly HostedSample[]>;
  /** By default the same as for agents. */
  readonly settings?: ClusterMetricsSettings | undefined;
  readonly allSeriesMax?: number;
  readonly clock: Clock;
}

/** The same as for agents: one value per topic. A cluster may have too many partitions to scrape. */
const usualSettings: ClusterMetricsSettings = { includesGroups: true, withoutTags: ['partition'] };

/** A cluster that does not answer within this time is unavailable. */
const showMsMax = 10_000;

/** Returns the metrics of a cluster, under its id. Rejects with `ClusterUnavailable` while it has no leader. */
export async function measureCluster(
  clusterId: string,
  {
    clusterPort,
    samplesOf,
    settings = usualSettings,
    allSeriesMax = controlPlaneLimits.hostedSeriesMax,
    clock,
  }: MeasureOptions,
): Promise<Metrics> {
  const snapshot = await readMeasuredSnapshot(clusterPort(clusterId), { clock, waitMsMax: showMsMax });
  const [{ stats, groupsLeftOut }, samples] = await Promise.all([
    readStats(snapshot, settings, clock),
    samplesOf(clusterId),
  ]);
  const metrics = new Metrics({ virtual_cluster_id: clusterId, agent_version: release });
  for (const { row, labels, value } of samples) metrics.series(row, labels).set(value);
  const limits = { seriesMax: seriesPerMetricMax, allSeriesMax };
  const seriesLeftOut = new PublishedStats(metrics, limits).show(stats);
  metrics.series(leftOutRow, { what: 'groups' }).set(groupsLeftOut);
  metrics.series(leftOutRow, { what: 'series' }).set(seriesLeftOut);
  return metrics;
}
