import { type ClusterPort, takeSnapshot } from '@weir/cluster';

const name = 'group.initial.rebalance.delay.ms';

/**
 * Lets the first member of a new group start at once. By default a cluster delays the first rebalance by three seconds
 * for the other members of a deployment; a user who tries something out, or a test in CI, has no others. A value that
 * the user has set stays.
 */
export async function withQuickGroups(cluster: ClusterPort): Promise<void> {
  const { clusterConfigs } = await takeSnapshot(cluster);
  if (clusterConfigs[name] !== undefined) return;
  await cluster.alterConfigs(
    [{ kind: 'cluster', name: '', replacesAll: false, changes: [{ name, operation: 'set', value: '0' }] }],
    { validateOnly: false },
  );
}
