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
  title: 'The control plane is near its limit for this cluster',
  observes: `The metric control_plane_utilization, against ${percent(utilizationMax)}; from ${percent(utilizationCritical)} on it is critical.`,
  explanation: 'At the limit commits and coordination wait for their turn, and agents slow producers down.',
  fix: 'Fewer and larger files help most: raise -batchTimeout and run fewer, larger agents. Fewer partitions per write, fewer heartbeats of groups and longer commit intervals help too.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 3, recoverAfterRuns: 3 },
  run({ cluster, controlPlaneUtilization: utilization }) {
    if (utilization === undefined) return { missing: 'the utilization' };
    if (utilization < utilizationMax) return [];
    return [
      {
        entity: { kind: 'cluster', name: cluster.clusterId },
        message: `The leader of the cluster is busy ${percent(utilization)} of the time.`,
        severity: utilization >= utilizationCritical ? 'critical' : undefined,
        weight: utilization,
      },
    ];
  },
});
