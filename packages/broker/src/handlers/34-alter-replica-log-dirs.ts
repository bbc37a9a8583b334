import type { AgentDescription } from '@weir/cluster';
import { mayOnCluster } from '@weir/security';
import { type Apis, type ErrorName, errors, type RequestOf } from '@weir/wire';
import { logDirOf } from '../placement/broker-facts.ts';
import type { PlacementOf } from '../placement/described-agents.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * AlterReplicaLogDirs v1 and v2. There is one directory, the part of the bucket that belongs to the cluster, so that a
 * partition can only stay where it is.
 *
 * - Each partition is answered once, for the last directory that the request names.
 * - Any other directory is LOG_DIR_NOT_FOUND, as in Apache Kafka.
 * - A partition that another agent leads in this client's view, or that does not exist, is REPLICA_NOT_AVAILABLE.
 * - Requires ALTER on the cluster; otherwise each partition is CLUSTER_AUTHORIZATION_FAILED.
 */
export function alterReplicaLogDirsHandler(
  placementOf: PlacementOf,
  self: () => AgentDescription,
): HandlerOf<Apis['AlterReplicaLogDirs']> {
  return ({ dirs }, context) => {
    const { cluster, access } = context;
    const isAllowed = mayOnCluster(access, 'ALTER');
    const placement = placementOf(context);
    const { agentId } = self();
    const errorOf = (path: string, name: string, partition: number): ErrorName => {
      if (!isAllowed) return 'CLUSTER_AUTHORIZATION_FAILED';
      if (path !== logDirOf(cluster.clusterId)) return 'LOG_DIR_NOT_FOUND';
      const topic = cluster.topicByName(name);
      const leader = topic === undefined ? undefined : placement.leadersOf(topic)[partition];
      return leader?.agentId === agentId ? 'NONE' : 'REPLICA_NOT_AVAILABLE';
    };
    return {
      throttleTimeMs: 0,
      results: Array.from(targetsOf(dirs), ([topicName, partitions]) => ({
        topicName,
        partitions: Array.from(partitions, ([partitionIndex, path]) => ({
          partitionIndex,
          errorCode: errors[errorOf(path, topicName, partitionIndex)].code,
        })),
      })),
    };
  };
}

/** The directory of each partition, by topic. The last one that is named counts. */
function targetsOf(dirs: RequestOf<Apis['AlterReplicaLogDirs']>['dirs']): Map<string, Map<number, string>> {
  const targets = new Map<string, Map<number, string>>();
  for (const { path, topics } of dirs) {
    for (const { name, partitions } of topics) {
      const paths = targets.get(name) ?? new Map<number, string>();
      targets.set(name, paths);
      for (const partition of partitions) paths.set(partition, path);
    }
  }
  return targets;
}
