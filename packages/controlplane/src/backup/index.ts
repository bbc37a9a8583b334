/** What restoring a cluster from its bucket needs, and tools that read its metadata there. */

export { BackedUpMetadata } from './backed-up-metadata.ts';
export { listBackedUpClusters } from './backup-objects.ts';
export { RestoreProblem } from './read-backup.ts';
export {
  type RehearsedRestore,
  type RestoredCluster,
  rehearseRestore,
  restoreCluster,
} from './restore-cluster.ts';
