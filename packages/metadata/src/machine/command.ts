import type {
  FileCommit,
  FileCommitResult,
  PartitionsToCreate,
  TopicReference,
  TopicResult,
  TopicToCreate,
} from '../cluster/port.ts';

/**
 * Everything that changes a cluster. A command carries what the machine may not make up: ids come with it, and the time
 * comes beside it.
 */
export type Command =
  | { readonly kind: 'commitFiles'; readonly files: readonly FileCommit[] }
  | {
      readonly kind: 'createTopics';
      readonly topics: readonly TopicToCreate[];
      /** One fresh id per topic, in Kafka's form of 22 characters. Those of topics that are refused are not used. */
      readonly topicIds: readonly string[];
      readonly validateOnly: boolean;
    }
  | { readonly kind: 'deleteTopics'; readonly topics: readonly TopicReference[] }
  | {
      readonly kind: 'createPartitions';
      readonly topics: readonly PartitionsToCreate[];
      readonly validateOnly: boolean;
    }
  | { readonly kind: 'allocateProducerIds'; readonly count: number }
  | {
      /** Sets and unsets configs of the cluster, all of them or none. A value of `null` unsets. */
      readonly kind: 'alterClusterConfigs';
      readonly configs: Readonly<Record<string, string | null>>;
    }
  /** Removes what only time removes: soft-deleted topics after their TTL, silent producers, old file ids. Send it every minute. */
  | { readonly kind: 'purge' };

export type CommandKind = Command['kind'];

export type CommandOf<Kind extends CommandKind> = Extract<Command, { readonly kind: Kind }>;

/** What each command is answered with. Lists are in the order of the command's. */
export interface Replies {
  commitFiles: FileCommitResult[];
  createTopics: TopicResult[];
  deleteTopics: TopicResult[];
  createPartitions: TopicResult[];
  /** The first of the `count` ids. */
  allocateProducerIds: number;
  alterClusterConfigs: { readonly error: 'NONE' | 'INVALID_CONFIG'; readonly message: string | null };
  purge: PurgeReply;
}

/** How many of each were removed. Producers that went with their topic are not counted. */
export interface PurgeReply {
  readonly topics: number;
  readonly producers: number;
  readonly fileIds: number;
}

export type ReplyOf<C extends Command> = Replies[C['kind']];

/**
 * A command that nobody of ours sends. The machine throws it before it changes anything; any other error is a defect, after
 * which nobody knows what the machine holds.
 */
export class MalformedCommand extends TypeError {
  override readonly name = 'MalformedCommand';
}
