import { defineCheck } from '../check.ts';
import { count, percent } from '../number-texts.ts';

const partitionShareMax = 0.8;
const partitionShareHigh = 0.95;

export const partitionCount = defineCheck({
  name: 'partition_count_near_limit',
  type: 'limits',
  source: 'control_plane',
  severity: 'medium',
  title: 'The cluster has almost as many partitions as it may have',
  observes: `Partitions of all topics, against the limit of the cluster: ${percent(partitionShareMax)}, and from ${percent(partitionShareHigh)} on it is high.`,
  explanation: 'At the limit no topic can be made and none can get more partitions.',
  fix: 'Delete unused topics, create new ones with fewer partitions, or use another cluster.',
  run({ cluster }) {
    const { clusterId, partitionCount, partitionCountMax } = cluster;
    if (partitionCountMax <= 0) return { missing: 'the limit of partitions' };
    const share = partitionCount / partitionCountMax;
    if (share < partitionShareMax) return [];
    return [
      {
        entity: { kind: 'cluster', name: clusterId },
        message: `There are ${count(partitionCount)} partitions, ${percent(share)} of the limit of ${count(partitionCountMax)}.`,
        severity: share >= partitionShareHigh ? 'high' : undefined,
        weight: share,
      },
    ];
  },
});
