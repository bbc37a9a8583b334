import type { HealthPort } from '../calls/health-calls.ts';
import type { CombinedStats } from './combined-stats.ts';
import { controlPlaneUtilization, diagnosticFailure } from './health-metrics.ts';
import { unlessRefused } from './unless-refused.ts';

/** Adds which diagnostics fail, and the load of the leader, as the control plane last found them. */
export async function addHealthStats(
  clusterId: string,
  port: HealthPort,
  stats: CombinedStats,
): Promise<void> {
  const health = await unlessRefused(port.describeHealth());
  for (const { labels, isFailing } of health?.diagnostics ?? [])
    stats.add(diagnosticFailure, labels, isFailing ? 1 : 0);
  if (health?.utilization !== undefined)
    stats.add(controlPlaneUtilization, { cluster: clusterId }, health.utilization);
}
