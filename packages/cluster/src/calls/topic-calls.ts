import { flag, list, number, object, optional, text, texts, tuple, whole } from '../shapes/shape.ts';
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

export interface TopicToCreate {
  readonly name: string;
  /** -1 for the cluster's default. */
  readonly partitionCount: number;
  /** -1 or absent for the default. */
  readonly replicationFactor?: number | undefined;
  readonly configs: Readonly<Record<string, string>>;
}

export interface TopicReference {
  readonly topicId?: string;
  readonly name?: string;
}

export const topicReference = object<TopicReference>({ topicId: optional(text), name: optional(text) });

export interface PartitionsToCreate {
  readonly name: string;
  /** The new total. */
  readonly partitionCount: number;
}

export interface MutationOptions {
  readonly validateOnly: boolean;
}

export const mutationOptions = object<MutationOptions>({ validateOnly: flag });

interface CreateTopicsOptions extends MutationOptions {
  /**
   * With `validateOnly`: partitions of topics of the same request that earlier calls found valid. Unlike created ones,
   * those are not counted otherwise.
   */
  readonly partitionsBefore?: number | undefined;
}

const createTopicsOptions = object<CreateTopicsOptions>({
  validateOnly: flag,
  partitionsBefore: optional(whole),
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
    tuple(
      list(
        object<TopicToCreate>({
          name: text,
          partitionCount: number,
          replicationFactor: optional(number),
          configs: texts,
        }),
      ),
      createTopicsOptions,
    ),
    { splits: true, hasCostlyEntries: true },
  ),
  deleteTopics: command<[topics: readonly TopicReference[]], TopicResult[]>(tuple(list(topicReference)), {
    splits: true,
  }),
  createPartitions: command<[topics: readonly PartitionsToCreate[], options: MutationOptions], TopicResult[]>(
    tuple(list(object<PartitionsToCreate>({ name: text, partitionCount: number })), mutationOptions),
    { splits: true },
  ),
};
