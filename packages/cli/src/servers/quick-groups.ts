import { type ClusterPort, takeSnapshot } from '@weir/cluster';

/** By default 3 s before the first rebalance of a classic group, and 1 s between assignments of other groups. */
const names = [
  'group.initial.rebalance.delay.ms',
  'group.consumer.assignment.interval.ms',
  'group.share.assignment.interval.ms',
] as const;

/**
 * Lets the members of a group start at once. By default a cluster delays rebalances for the other members of a
 * deployment; a user who tries something out, or a test in CI, has no others. A value that the user has set stays.
 */
export async function withQuickGroups(cluster: ClusterPort): Promise<void> {
  const { clusterConfigs } = await takeSnapshot(cluster);
  const changes = names
    .filter((name) => clusterConfigs[name] === undefined)
    .map((name) => ({ name, operation: 'set', value: '0' }) as const);
  if (changes.length === 0) return;
  await cluster.alterConfigs([{ kind: 'cluster', name: '', replacesAll: false, changes }], {
    validateOnly: false,
  });
}
