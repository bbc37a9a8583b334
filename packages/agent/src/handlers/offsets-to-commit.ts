import type { OffsetToCommit } from '@weir/metadata';
import { type ErrorName, errors } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';

interface AskedTopic {
  readonly name: string;
  readonly topicId?: string;
  readonly partitions: readonly AskedPartition[];
}

interface AskedPartition {
  readonly partitionIndex: number;
  readonly committedOffset: bigint;
  readonly committedLeaderEpoch: number;
  readonly committedMetadata: string | null;
}

/** The offsets of a request to commit some, and how each partition is answered. */
export interface OffsetsToCommit {
  /** Those whose partitions are there. */
  readonly offsets: readonly OffsetToCommit[];
  /** The answer in the order of the request, from the errors of `offsets` in theirs. */
  answer(errorOf: (at: number) => ErrorName): AnsweredTopic[];
}

export interface AnsweredTopic {
  readonly name: string;
  readonly topicId: string | undefined;
  readonly partitions: readonly { readonly partitionIndex: number; readonly errorCode: number }[];
}

export function readOffsetsToCommit(
  topics: readonly AskedTopic[],
  { cluster, byId }: { readonly cluster: ClusterView; readonly byId: boolean },
): OffsetsToCommit {
  const offsets: OffsetToCommit[] = [];
  const places = topics.map((topic) =>
    topic.partitions.map((partition) => {
      const found = find(topic, partition);
      return typeof found === 'string' ? found : offsets.push(found) - 1;
    }),
  );
  return {
    offsets,
    answer: (errorOf) =>
      topics.map(({ name, topicId, partitions }, topicAt) => ({
        name,
        topicId,
        partitions: partitions.map(({ partitionIndex }, at) => {
          const place = places[topicAt]![at]!;
          const error = typeof place === 'string' ? place : errorOf(place);
          return { partitionIndex, errorCode: errors[error].code };
        }),
      })),
  };

  function find({ name, topicId }: AskedTopic, partition: AskedPartition): OffsetToCommit | ErrorName {
    const topic = byId ? cluster.topicById(topicId ?? '') : cluster.topicByName(name);
    if (topic === undefined) return byId ? 'UNKNOWN_TOPIC_ID' : 'UNKNOWN_TOPIC_OR_PARTITION';
    if (cluster.ends(topic.topicId, partition.partitionIndex) === undefined) {
      return 'UNKNOWN_TOPIC_OR_PARTITION';
    }
    const offset = Number(partition.committedOffset);
    if (!Number.isSafeInteger(offset)) return 'INVALID_COMMIT_OFFSET_SIZE';
    return {
      topicId: topic.topicId,
      partition: partition.partitionIndex,
      offset,
      leaderEpoch: partition.committedLeaderEpoch,
      metadata: partition.committedMetadata ?? '',
    };
  }
}
