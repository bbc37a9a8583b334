/** Facts that the control plane publishes to the agents of a cluster. The leader writes them; they may change. */
export const clusterFacts = {
  /** Display name of the cluster, `vcn_…`. */
  name: { namespace: 'clusterFact', key: 'name' },
  /** The id stored in the cluster's bucket. The first agent claims it, and it never changes. */
  bucketId: { namespace: 'clusterFact', key: 'bucketId' },
} as const;
