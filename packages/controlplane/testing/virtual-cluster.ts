import type { VirtualCluster } from '../src/accounts/workspaces/virtual-clusters.ts';

/** A cluster as the registry returns it. */
export function clusterCalled(word: string): VirtualCluster {
  return {
    id: `vci_${word}`,
    accountId: 'ti_test',
    workspaceId: 'wi_test',
    name: `vcn_${word}`,
    type: 'byoc',
    tier: 'pro',
    cloudProvider: 'aws',
    place: { region: 'us-east-1' },
    tags: {},
    isDeletionProtected: false,
    createdMs: 0,
    deletedMs: undefined,
  };
}
