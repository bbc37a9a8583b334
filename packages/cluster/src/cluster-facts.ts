/** Facts that the control plane publishes to the agents of a cluster. The leader writes them; they may change. */
export const clusterFacts = {
  /** Display name of the cluster, `vcn_…`. */
  name: { namespace: 'clusterFact', key: 'name' },
  /** The id stored in the cluster's bucket. The first agent claims it, and it never changes. */
  bucketId: { namespace: 'clusterFact', key: 'bucketId' },
  /** How often the cluster was restored from its bucket, in digits; none if never. */
  generation: { namespace: 'clusterFact', key: 'generation' },
  /** The generation that a restore began while this one was led. Nothing of this one is served after that. */
  supersededBy: { namespace: 'clusterFact', key: 'supersededBy' },
  /**
   * Since when the cluster knows all its files, in milliseconds since 1970: the time at which it claimed its bucket.
   * Earlier files in the bucket may belong to a lost database, and are never deleted as orphans.
   */
  filesKnownFrom: { namespace: 'clusterFact', key: 'filesKnownFromMs' },
  /** Of a clone: the id of the cluster of which it is one (ADR 0041). */
  cloneOf: { namespace: 'clusterFact', key: 'cloneOf' },
} as const;
