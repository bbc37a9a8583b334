import { type MetricsPush, type MetricsPushSettings, startMetricsPush } from '@weir/agent';
import type { Clock, Log, MetricReading, Metrics } from '@weir/core';

/** The clusters that a control-plane process can measure. */
export interface MeasuredClusters {
  /** The ids of the clusters that this process leads now, so that only one of several processes reports a cluster. */
  readonly leading: () => readonly string[];
  readonly measure: (clusterId: string) => Promise<Metrics>;
}

interface HostedPushOptions {
  readonly settings: MetricsPushSettings;
  readonly clusters: MeasuredClusters;
  /** Id of this process, in place of an agent id. */
  readonly processId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Where pushes are counted. */
  readonly metrics: Metrics;
}

/** Pushes the metrics of the clusters that this process leads, as a scrape of the control plane returns them. */
export function startHostedPush({ clusters, processId, ...options }: HostedPushOptions): MetricsPush {
  return startMetricsPush({
    ...options,
    identity: { agentId: processId, agentGroup: '' },
    readings: () => readingsOf(clusters),
  });
}

/** Reads cluster by cluster. Those that cannot be measured are reported after all others were yielded. */
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
    throw new Error(`failed to measure ${failed.length} clusters; the first: ${failed[0]}`);
}
