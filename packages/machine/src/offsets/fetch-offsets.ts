import type { CommittedOffset, TopicPartition } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import type { OffsetValue } from './offset-pool.ts';

export interface GroupOffsetsQuery {
  readonly groupId: string;
  readonly requireStable: boolean;
  /** `null` for all committed offsets of the group. */
  readonly partitions: readonly TopicPartition[] | null;
  /** Whether the answer includes commit times. */
  readonly withTimes?: boolean | undefined;
}

/**
 * Returns committed offsets of a group in the order of the query. Deleted topics have no offsets, although they are
 * still held.
 */
export function fetchOffsets(state: ClusterState, query: GroupOffsetsQuery): CommittedOffset[] {
  const { topics, offsets } = state;
  const { groupId, requireStable, withTimes = false } = query;
  const partitions = query.partitions ?? allPartitions(state, groupId);
  return partitions.map(({ topicId, partition }): CommittedOffset => {
    const topic = topics.byId(topicId);
    if (topic === undefined) return committed(topicId, partition, undefined);
    if (requireStable && offsets.isPending(groupId, topic.number, partition)) {
      return { ...committed(topicId, partition, undefined), error: 'UNSTABLE_OFFSET_COMMIT' };
    }
    const stored = offsets.get(groupId, topic.number, partition);
    const answer = committed(topicId, partition, stored);
    return withTimes && stored !== undefined ? { ...answer, committedMs: stored.committedMs } : answer;
  });
}

function committed(topicId: string, partition: number, value: OffsetValue | undefined): CommittedOffset {
  return {
    topicId,
    partition,
    offset: value?.offset ?? -1,
    leaderEpoch: value?.leaderEpoch ?? -1,
    metadata: value?.metadata ?? '',
    error: 'NONE',
  };
}

/** Returns all partitions with offsets; those of one topic are adjacent. */
function allPartitions({ topics, offsets }: ClusterState, groupId: string): TopicPartition[] {
  const byTopic = new Map<number, TopicPartition[]>();
  for (const { topicNumber, partition } of offsets.of(groupId)) {
    const topic = topics.byNumber(topicNumber);
    if (topic === undefined || topic.deletedMs !== undefined) continue;
    const found = byTopic.get(topicNumber) ?? [];
    byTopic.set(topicNumber, found);
    found.push({ topicId: topic.description.topicId, partition });
  }
  return [...byTopic.values()].flat();
}
