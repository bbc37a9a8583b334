/** What the control plane tells agents of their cluster. The leader writes it; it may change. */
export const clusterFacts = {
  /** What people call the cluster, `vcn_…`. */
  name: { namespace: 'clusterFact', key: 'name' },
  /** The id that lies in the cluster's bucket. The first agent claims it, and it stays. */
  bucketId: { namespace: 'clusterFact', key: 'bucketId' },
} as const;
