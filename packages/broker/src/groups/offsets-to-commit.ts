import type { OffsetToCommit, TopicDescription } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import type { Access } from '@weir/security';
import { type ErrorName, errors, zeroUuid } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { mappedInTurns, TurnCount, type WorkInTurns } from '../requests/turns.ts';

export interface RequestedTopic {
  readonly name: string;
  readonly topicId?: string;
  readonly partitions: readonly RequestedPartition[];
}

interface RequestedPartition {
  readonly partitionIndex: number;
  readonly committedOffset: bigint;
  readonly committedLeaderEpoch: number;
  readonly committedMetadata: string | null;
}

/** The offsets of a commit request, and how each partition is answered. */
export interface OffsetsToCommit {
  /** Offsets of existing partitions, of topics that the client may READ. */
  readonly offsets: readonly OffsetToCommit[];
  /** Builds the answer in the order of the request, from the errors of `offsets` in their order. */
  answer(errorOf: (at: number) => ErrorName): WorkInTurns<AnsweredTopic[]>;
}

export interface AnsweredTopic {
  readonly name: string;
  /** Zero in versions that have none. */
  readonly topicId: string;
  readonly partitions: readonly AnsweredPartition[];
}

interface AnsweredPartition {
  readonly partitionIndex: number;
  readonly errorCode: number;
}

interface ReadOptions {
  readonly cluster: ClusterView;
  readonly access: Access;
  readonly byId: boolean;
}

/**
 * A topic that the client may not READ is TOPIC_AUTHORIZATION_FAILED, whether it exists or not. By id that applies only
 * to existing topics: an id cannot be guessed.
 */
export function* readOffsetsToCommit(
  topics: readonly RequestedTopic[],
  { cluster, access, byId }: ReadOptions,
): WorkInTurns<OffsetsToCommit> {
  const turns = new TurnCount();
  const offsets: OffsetToCommit[] = [];
  /** The error of a partition, or the index of its offset. */
  const places: (ErrorName | number)[][] = [];
  for (const requested of topics) {
    const topic = find(requested);
    if (turns.ends()) yield;
    places.push(
      yield* mappedInTurns(requested.partitions, turns, (partition) => {
        const offset = typeof topic === 'string' ? topic : offsetOf(topic, partition);
        return typeof offset === 'string' ? offset : offsets.push(offset) - 1;
      }),
    );
  }
  return { offsets, answer };

  function* answer(errorOf: (at: number) => ErrorName): WorkInTurns<AnsweredTopic[]> {
    const answered: AnsweredTopic[] = [];
    for (const [topicAt, { name, topicId, partitions }] of topics.entries()) {
      if (turns.ends()) yield;
      const placesHere = places[topicAt]!;
      answered.push({
        name,
        topicId: topicId ?? zeroUuid,
        partitions: yield* mappedInTurns(partitions, turns, ({ partitionIndex }, at) => {
          const place = placesHere[at]!;
          const error = typeof place === 'string' ? place : errorOf(place);
          return { partitionIndex, errorCode: errors[error].code };
        }),
      });
    }
    return answered;
  }

  function find({ name, topicId }: RequestedTopic): TopicDescription | ErrorName {
    const topic = byId ? cluster.topicById(topicId ?? '') : cluster.topicByName(name);
    if (byId && topic === undefined) return 'UNKNOWN_TOPIC_ID';
    if (!access.may('READ', 'TOPIC', topic?.name ?? name)) return 'TOPIC_AUTHORIZATION_FAILED';
    return topic ?? 'UNKNOWN_TOPIC_OR_PARTITION';
  }

  function offsetOf(topic: TopicDescription, partition: RequestedPartition): OffsetToCommit | ErrorName {
    if (cluster.ends(topic.topicId, partition.partitionIndex) === undefined) {
      return 'UNKNOWN_TOPIC_OR_PARTITION';
    }
    // The cluster never allows more, and longer metadata would burden the call.
    if ((partition.committedMetadata?.length ?? 0) > clusterLimits.offsetMetadataCharsMax) {
      return 'OFFSET_METADATA_TOO_LARGE';
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

/** Answers all partitions with one error. */
export function* failOffsetsToCommit(
  topics: readonly RequestedTopic[],
  error: ErrorName,
): WorkInTurns<AnsweredTopic[]> {
  const { code: errorCode } = errors[error];
  const turns = new TurnCount();
  const answered: AnsweredTopic[] = [];
  for (const { name, topicId, partitions } of topics) {
    if (turns.ends()) yield;
    answered.push({
      name,
      topicId: topicId ?? zeroUuid,
      partitions: yield* mappedInTurns(partitions, turns, ({ partitionIndex }) => ({
        partitionIndex,
        errorCode,
      })),
    });
  }
  return answered;
}
