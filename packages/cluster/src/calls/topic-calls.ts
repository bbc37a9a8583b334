import * as s from '../shapes/shape.ts';
import { command } from './call.ts';

export interface TopicDescription {
  readonly topicId: string;
  readonly name: string;
  readonly partitionCount: number;
  /**
   * The replication factor shown to tools; absent if it is `usualReplicationFactor`. The object store does the actual
   * replication.
   */
  readonly replicationFactor?: number;
  /** Configs set on this topic. Others have the cluster's value or the default. */
  readonly configs: Readonly<Record<string, string>>;
  readonly createdMs: number;
}

/** Replication factor of topics that were created without one. Journals rely on it, so it must never change. */
export const usualReplicationFactor = 3;

export function replicationFactorOf({ replicationFactor }: TopicDescription): number {
  return replicationFactor ?? usualReplicationFactor;
}

const topicToCreate = s.struct({
  name: s.text,
  /** -1 for the cluster's default. */
  partitionCount: s.number,
  /** -1 or absent for the default. */
  replicationFactor: s.optional(s.number),
  configs: s.texts,
});
export type TopicToCreate = s.TypeOf<typeof topicToCreate>;

const topicReferenceShape = s.struct({
  topicId: s.optional(s.text),
  name: s.optional(s.text),
});
export type TopicReference = s.TypeOf<typeof topicReferenceShape>;

export const topicReference = topicReferenceShape;

const partitionsToCreate = s.struct({
  name: s.text,
  /** The new total. */
  partitionCount: s.number,
});
export type PartitionsToCreate = s.TypeOf<typeof partitionsToCreate>;

const mutationOptionsShape = s.struct({
  validateOnly: s.flag,
});
export type MutationOptions = s.TypeOf<typeof mutationOptionsShape>;

export const mutationOptions = mutationOptionsShape;

interface CreateTopicsOptions extends MutationOptions {
  /**
   * With `validateOnly`: partitions of topics of the same request that earlier calls found valid. Unlike created ones,
   * those are not counted otherwise.
   */
  readonly partitionsBefore?: number | undefined;
}

const createTopicsOptions = s.object<CreateTopicsOptions>({
  validateOnly: s.flag,
  partitionsBefore: s.optional(s.whole),
});

/** Results of creating, changing or deleting a topic. */
export type TopicError =
  | 'NONE'
  | 'TOPIC_ALREADY_EXISTS'
  | 'UNKNOWN_TOPIC_OR_PARTITION'
  | 'UNKNOWN_TOPIC_ID'
  | 'INVALID_TOPIC_EXCEPTION'
  | 'INVALID_PARTITIONS'
  | 'INVALID_REPLICATION_FACTOR'
  | 'INVALID_CONFIG'
  | 'INVALID_REQUEST'
  | 'POLICY_VIOLATION'
  | 'TOPIC_DELETION_DISABLED';

export interface TopicResult {
  readonly error: TopicError;
  /** What was wrong and what to do, for the user. */
  readonly message: string | null;
  /** The topic after the call (with `validateOnly`, as it would be); `undefined` on error and after a deletion. */
  readonly topic: TopicDescription | undefined;
}

/** Calls about topics. Each topic has its own result. */
export const topicCalls = {
  createTopics: command<[topics: readonly TopicToCreate[], options: CreateTopicsOptions], TopicResult[]>(
    s.tuple(s.list(topicToCreate), createTopicsOptions),
    { splits: true, hasCostlyEntries: true },
  ),
  deleteTopics: command<[topics: readonly TopicReference[]], TopicResult[]>(s.tuple(s.list(topicReference)), {
    splits: true,
  }),
  createPartitions: command<[topics: readonly PartitionsToCreate[], options: MutationOptions], TopicResult[]>(
    s.tuple(s.list(partitionsToCreate), mutationOptions),
    { splits: true },
  ),
};
