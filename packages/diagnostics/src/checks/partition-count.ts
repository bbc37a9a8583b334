import { defineCheck } from '../check.ts';
import { count, percent } from '../number-texts.ts';

const partitionShareMax = 0.8;
const partitionShareHigh = 0.95;

export const partitionCount = defineCheck({
  name: 'partition_count_near_limit',
  type: 'limits',
  source: 'control_plane',
  severity: 'medium',
  title: 'Partition count near the limit',
  observes: `The number of partitions, against the limit of the cluster: from ${percent(partitionShareMax)}; high from ${percent(partitionShareHigh)}.`,
  explanation: 'At the limit, creating topics and adding partitions fail.',
  fix: 'Delete unused topics, create new ones with fewer partitions, or use another cluster.',
  run({ cluster }) {
    const { clusterId, partitionCount, partitionCountMax } = cluster;
    if (partitionCountMax <= 0) return { missing: 'partition limit' };
    const share = partitionCount / partitionCountMax;
    if (share < partitionShareMax) return [];
    return [
      {
        entity: { kind: 'cluster', name: clusterId },
        message: `The cluster has ${count(partitionCount)} partitions, ${percent(share)} of the limit of ${count(partitionCountMax)}.`,
        severity: share >= partitionShareHigh ? 'high' : undefined,
        weight: share,
      },
    ];
  },
});
