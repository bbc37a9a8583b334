import type { AgentDescription, TopicDescription } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { mayOnCluster } from '@weir/security';
import { type Apis, errors, type RequestOf } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import { logDirOf } from '../placement/broker-facts.ts';
import type { PlacementOf } from '../placement/described-agents.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * DescribeLogDirs v1 to v5. There is one directory, the part of the bucket that belongs to the cluster; its name is the
 * prefix of the objects.
 *
 * - Sizes are the bytes of partitions in files, compressed as written. Lag is always 0, no replica is ever moving, and
 *   a bucket has no capacity.
 * - An agent reports the partitions that it leads in this client's view, so that the sum over all agents is the total.
 * - A request for all topics includes internal ones, as in Apache Kafka: they occupy space too.
 * - Topics and partitions that do not exist are omitted.
 * - If the control plane is unavailable, the directory is KAFKA_STORAGE_ERROR.
 * - Requires DESCRIBE on the cluster.
 */
export function describeLogDirsHandler(
  placementOf: PlacementOf,
  self: () => AgentDescription,
): HandlerOf<Apis['DescribeLogDirs']> {
  return async (request, context) => {
    const { cluster } = context;
    if (!mayOnCluster(context.access, 'DESCRIBE')) {
      return { throttleTimeMs: 0, errorCode: errors.CLUSTER_AUTHORIZATION_FAILED.code, results: [] };
    }
    const placement = placementOf(context);
    const { agentId } = self();
    const requested = requestedPartitions(request.topics, cluster);
    const sizes = await sizesOf([...requested.keys()], cluster);
    const logDir = logDirOf(cluster.clusterId);
    if (sizes === undefined) {
      const error = errors.KAFKA_STORAGE_ERROR.code;
      return {
        throttleTimeMs: 0,
        errorCode: errors.NONE.code,
        results: [{ errorCode: error, logDir, topics: [] }],
      };
    }
    const topics = [...requested].map(([topic, wanted]) => {
      const bytes = sizes.get(topic)!;
      const leaders = placement.leadersOf(topic);
      const partitions: number[] = [];
      for (let partition = 0; partition < bytes.length; partition++) {
        const isOurs = leaders[partition]?.agentId === agentId;
        if (isOurs && (wanted?.has(partition) ?? true)) partitions.push(partition);
      }
      return {
        name: topic.name,
        partitions: partitions.map((partitionIndex) => ({
          partitionIndex,
          partitionSize: BigInt(bytes[partitionIndex]!),
          offsetLag: 0n,
          isFutureKey: false,
        })),
      };
    });
    return {
      throttleTimeMs: 0,
      errorCode: errors.NONE.code,
      results: [
        {
          errorCode: errors.NONE.code,
          logDir,
          topics: topics.filter(({ partitions }) => partitions.length > 0),
        },
      ],
    };
  };
}

/** Returns the requested partitions per topic, `undefined` for all of them. */
function requestedPartitions(
  topics: RequestOf<Apis['DescribeLogDirs']>['topics'],
  cluster: ClusterView,
): Map<TopicDescription, Set<number> | undefined> {
  const requested = new Map<TopicDescription, Set<number> | undefined>();
  if (topics === null) {
    for (const topic of cluster.topics()) requested.set(topic, undefined);
    return requested;
  }
  for (const { topic: name, partitions } of topics) {
    const topic = cluster.topicByName(name);
    if (topic === undefined) continue;
    const wanted = requested.get(topic) ?? new Set<number>();
    for (const partition of partitions) wanted.add(partition);
    requested.set(topic, wanted);
  }
  return requested;
}

/** Returns bytes by partition. A topic that the control plane does not know any more has none. */
async function sizesOf(
  topics: readonly TopicDescription[],
  { port }: ClusterView,
): Promise<Map<TopicDescription, Float64Array> | undefined> {
  const sizes = new Map<TopicDescription, Float64Array>();
  for (let first = 0; first < topics.length; first += clusterLimits.logSizesPerCallMax) {
    const some = topics.slice(first, first + clusterLimits.logSizesPerCallMax);
    const answer = await ifAvailable(port.logSizes(some.map(({ topicId }) => topicId)));
    if (answer === undefined) return undefined;
    let row = 0;
    for (const [index, topic] of some.entries()) {
      const end = row + answer.partitionCount[index]!;
      sizes.set(topic, answer.byteCount.subarray(row, end));
      row = end;
    }
  }
  return sizes;
}
