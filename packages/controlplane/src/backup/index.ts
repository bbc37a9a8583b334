/** What restoring a cluster from its bucket needs. */

export { listBackedUpClusters } from './backup-objects.ts';
export { RestoreProblem, restoreCluster } from './restore-cluster.ts';
