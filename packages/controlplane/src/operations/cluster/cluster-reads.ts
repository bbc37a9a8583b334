import {
  CallRefused,
  type ClusterPort,
  type ResourceCounts,
  SnapshotTopics,
  type TopicDescription,
  type TopicReference,
} from '@weir/cluster';
import { type ClusterSnapshotContext, ClusterTopicsSnapshot } from './cluster-topics-snapshot.ts';
import { partsOf } from './wire-values.ts';

type Configs = Readonly<Record<string, string>>;

/** Topics by id and by name, with the ends of their partitions. */
export type TopicLookup = Pick<SnapshotTopics, 'topicById' | 'topicByName' | 'ends'>;

/** Bounds the answer of one call. */
const topicsPerCallMax = 1_000;

/**
 * Reads of a cluster whose cost is proportional to the request. All see what was committed before the call. A leader of
 * an earlier release does not support these calls, so its snapshot is read instead.
 */
export function readClusterConfigs(port: ClusterPort, context: ClusterSnapshotContext): Promise<Configs> {
  return readOrSnapshot(
    port,
    context,
    () => port.clusterConfigs(),
    ({ clusterConfigs }) => clusterConfigs,
  );
}

export function readTopic(
  port: ClusterPort,
  name: string,
  context: ClusterSnapshotContext,
): Promise<TopicDescription | undefined> {
  return readOrSnapshot(
    port,
    context,
    async () => (await port.describeTopics([{ name }]))[0] ?? undefined,
    (snapshot) => snapshot.topicByName(name),
  );
}

/** Reads the named topics; the lookup may contain more. */
export function readTopicsWithEnds(
  port: ClusterPort,
  topics: readonly TopicReference[],
  context: ClusterSnapshotContext,
): Promise<TopicLookup> {
  return readOrSnapshot<TopicLookup>(
    port,
    context,
    async () => {
      const parts: SnapshotTopics[] = [];
      for (const part of partsOf(topics, topicsPerCallMax))
        parts.push(new SnapshotTopics(await port.describePartitions(part)));
      return joined(parts);
    },
    (snapshot) => snapshot,
  );
}

export function readResourceCounts(
  port: ClusterPort,
  context: ClusterSnapshotContext,
): Promise<ResourceCounts> {
  return readOrSnapshot(
    port,
    context,
    () => port.countResources(),
    (snapshot) => ({
      topics: snapshot.topics.length,
      partitions: snapshot.partitionCount,
      acls: snapshot.entryCount('acl'),
      clientQuotas: snapshot.entryCount('clientQuota'),
      credentials: snapshot.entryCount('credential'),
    }),
  );
}

function joined(parts: readonly SnapshotTopics[]): TopicLookup {
  const first = <T>(find: (part: SnapshotTopics) => T | undefined): T | undefined => {
    for (const part of parts) {
      const found = find(part);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return {
    topicById: (topicId) => first((part) => part.topicById(topicId)),
    topicByName: (name) => first((part) => part.topicByName(name)),
    ends: (topicId, partition) => first((part) => part.ends(topicId, partition)),
  };
}

async function readOrSnapshot<Answer>(
  port: ClusterPort,
  context: ClusterSnapshotContext,
  read: () => Promise<Answer>,
  fromSnapshot: (snapshot: ClusterTopicsSnapshot) => Answer,
): Promise<Answer> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof CallRefused) || error.kind !== 'invalid') throw error;
    return fromSnapshot(await ClusterTopicsSnapshot.take(port, context));
  }
}
