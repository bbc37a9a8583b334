import { type MetricsPush, type MetricsPushSettings, startMetricsPush } from '@weir/agent';
import type { Clock, Log, MetricReading, Metrics } from '@weir/core';

/** What a control-plane process can say of clusters. */
export interface MeasuredClusters {
  /** The ids of those that this process leads at the moment, so that of several processes one tells of a cluster. */
  readonly leading: () => readonly string[];
  readonly measure: (clusterId: string) => Promise<Metrics>;
}

interface HostedPushOptions {
  readonly settings: MetricsPushSettings;
  readonly clusters: MeasuredClusters;
  /** Of this process, in the place of an agent's. */
  readonly processId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Where pushes are counted. */
  readonly metrics: Metrics;
}

/** Pushes the metrics of the clusters that this process leads, as they are scraped from the control plane. */
export function startHostedPush({ clusters, processId, ...options }: HostedPushOptions): MetricsPush {
  return startMetricsPush({
    ...options,
    identity: { agentId: processId, agentGroup: '' },
    readings: () => readingsOf(clusters),
  });
}

/** One cluster after the other. Those that cannot be measured are told of when all others are on their way. */
export async function* readingsOf({
  leading,
  measure,
}: MeasuredClusters): AsyncGenerator<readonly MetricReading[], void, undefined> {
  const failed: string[] = [];
  for (const clusterId of leading()) {
    const metrics = await measure(clusterId).catch((error: Error) => {
      failed.push(`${clusterId}: ${error.message}`);
    });
    if (metrics !== undefined) yield metrics.read();
  }
  if (failed.length > 0)
    throw new Error(`${failed.length} clusters could not be measured, the first of them ${failed[0]}`);
}
