import { defineCheck } from '../check.ts';
import { clusterKinds } from '../diagnostic-snapshot.ts';
import { percent } from '../number-texts.ts';

const utilizationMax = 0.8;
const utilizationCritical = 0.95;

export const controlPlaneUtilization = defineCheck({
  name: 'control_plane_utilization',
  type: 'limits',
  source: 'control_plane',
  severity: 'high',
  title: 'Control plane near saturation',
  observes: `The metric control_plane_utilization, against ${percent(utilizationMax)}; critical from ${percent(utilizationCritical)}.`,
  explanation: 'Near saturation, commits and group coordination queue, and agents throttle producers.',
  fix: 'Write fewer, larger files first: raise -batchTimeout and run fewer, larger agents. Fewer partitions per produce request, fewer group heartbeats and longer commit intervals also help.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 3, recoverAfterRuns: 3 },
  run({ cluster, controlPlaneUtilization: utilization }) {
    if (utilization === undefined) return { missing: 'the utilization' };
    if (utilization < utilizationMax) return [];
    return [
      {
        entity: { kind: 'cluster', name: cluster.clusterId },
        message: `Control plane utilization of the cluster is ${percent(utilization)}.`,
        severity: utilization >= utilizationCritical ? 'critical' : undefined,
        weight: utilization,
      },
    ];
  },
});
