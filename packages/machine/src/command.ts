import type {
  AclFilter,
  AclResult,
  AlterClientQuotasResult,
  AlterConfigsResult,
  ClientQuotasToAlter,
  ConfigsBy,
  ConfigsToAlter,
  CredentialResult,
  CredentialToPut,
  DeletedAcls,
  DeleteRecordsResult,
  FileCommit,
  FileCommitResult,
  GroupError,
  OffsetsToAdd,
  PartitionsToAdd,
  PartitionsToCreate,
  RecordsToDelete,
  ScramCredentialChange,
  ScramCredentialResult,
  TopicReference,
  TopicResult,
  TopicToCreate,
  TransactionAnswer,
  TransactionalProducer,
  TransactionalProducerToInit,
  TransactionOffsetsAnswer,
  TransactionOffsetsToCommit,
  TransactionToEnd,
} from '@weir/cluster';
import type { Acl } from '@weir/core';
import type { HeardLogins } from './credentials/credential-use.ts';
import type { EntryChange } from './kv/put-entries.ts';
import type { RetentionPlace } from './log-start/retention.ts';
import type { NodeIdRequest } from './node-ids/node-ids.ts';
import type { GroupOffsets } from './offsets/commit-offsets.ts';
import type { OffsetsToForget } from './offsets/forget-offsets.ts';

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
  /** Deletes topics with what they hold; nothing can be restored. */
  | { readonly kind: 'removeTopics'; readonly topics: readonly TopicReference[] }
  | { readonly kind: 'restoreTopics'; readonly topicIds: readonly string[] }
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
  | {
      /** Puts and removes records, all of them or none. */
      readonly kind: 'putEntries';
      readonly changes: readonly EntryChange[];
    }
  | {
      /** Sets and removes quotas of entities, of each all or none. */
      readonly kind: 'alterClientQuotas';
      readonly entities: readonly ClientQuotasToAlter[];
      readonly validateOnly: boolean;
    }
  | {
      readonly kind: 'alterScramCredentials';
      readonly changes: readonly ScramCredentialChange[];
      /** Clients, unless it is said. */
      readonly by?: ConfigsBy;
    }
  | { readonly kind: 'putCredentials'; readonly credentials: readonly CredentialToPut[] }
  | { readonly kind: 'deleteCredentials'; readonly usernames: readonly string[] }
  /** Notes when credentials were used last, as far as it is worth an entry. Send it every minute. */
  | { readonly kind: 'noteLogins'; readonly logins: HeardLogins }
  /** Finds the node id of an agent: the one that it has or had, or another that is free. */
  | { readonly kind: 'assignNodeId'; readonly request: NodeIdRequest }
  /** Makes rules, each by itself. */
  | { readonly kind: 'createAcls'; readonly acls: readonly Acl[] }
  | { readonly kind: 'deleteAcls'; readonly filters: readonly AclFilter[] }
  | { readonly kind: 'commitOffsets'; readonly groups: readonly GroupOffsets[] }
  /** Offsets that were deleted or have expired. */
  | { readonly kind: 'forgetOffsets'; readonly groups: readonly OffsetsToForget[] }
  | { readonly kind: 'initTransactionalProducer'; readonly request: TransactionalProducerToInit }
  | { readonly kind: 'addPartitionsToTransaction'; readonly request: PartitionsToAdd }
  | { readonly kind: 'addOffsetsToTransaction'; readonly request: OffsetsToAdd }
  | { readonly kind: 'commitTransactionOffsets'; readonly request: TransactionOffsetsToCommit }
  | { readonly kind: 'endTransaction'; readonly request: TransactionToEnd }
  /** Aborts transactions that are open for too long, and forgets ids that nobody uses. Send it every second. */
  | { readonly kind: 'expireTransactions' }
  | {
      /** Sets and unsets configs of resources, of each all or none. */
      readonly kind: 'alterConfigs';
      readonly resources: readonly ConfigsToAlter[];
      readonly validateOnly: boolean;
      /** Clients, unless it is said. */
      readonly by?: ConfigsBy;
    }
  | { readonly kind: 'deleteRecords'; readonly partitions: readonly RecordsToDelete[] }
  /** Removes records that are too old or too many, of some partitions. The reply says where to go on; begin with 0 and 0. */
  | { readonly kind: 'applyRetention'; readonly from: RetentionPlace }
  /** Removes what only time removes: soft-deleted topics after their TTL, silent producers, old file ids. Send it every minute. */
  | { readonly kind: 'purge' };

export type CommandKind = Command['kind'];

export type CommandOf<Kind extends CommandKind> = Extract<Command, { readonly kind: Kind }>;

/** What each command is answered with. Lists are in the order of the command's. */
export interface Replies {
  commitFiles: FileCommitResult[];
  createTopics: TopicResult[];
  deleteTopics: TopicResult[];
  removeTopics: TopicResult[];
  restoreTopics: TopicResult[];
  createPartitions: TopicResult[];
  /** The first of the `count` ids. */
  allocateProducerIds: number;
  alterClusterConfigs: { readonly error: 'NONE' | 'INVALID_CONFIG'; readonly message: string | null };
  putEntries: { readonly error: 'NONE' | 'POLICY_VIOLATION'; readonly message: string | null };
  alterClientQuotas: AlterClientQuotasResult[];
  alterScramCredentials: ScramCredentialResult[];
  putCredentials: CredentialResult[];
  deleteCredentials: CredentialResult[];
  noteLogins: { readonly error: 'NONE' | 'POLICY_VIOLATION'; readonly message: string | null };
  /** Without an id when there is none left, or no room to write it down. */
  assignNodeId: { readonly nodeId: number | undefined; readonly message: string | null };
  createAcls: AclResult[];
  deleteAcls: DeletedAcls[];
  /** One error per offset. */
  commitOffsets: GroupError[][];
  /** How many offsets were forgotten, where partitions were named. */
  forgetOffsets: number;
  initTransactionalProducer: TransactionalProducer;
  addPartitionsToTransaction: TransactionAnswer;
  addOffsetsToTransaction: TransactionAnswer;
  commitTransactionOffsets: TransactionOffsetsAnswer;
  endTransaction: TransactionalProducer;
  expireTransactions: ExpiryReply;
  alterConfigs: AlterConfigsResult[];
  deleteRecords: DeleteRecordsResult[];
  applyRetention: RetentionReply;
  purge: PurgeReply;
}

interface RetentionReply {
  /** How many logs begin later. */
  readonly moved: number;
  /** Where to go on; `null` when all partitions have been looked at. */
  readonly next: RetentionPlace | null;
}

/** How many of each were removed. Producers that went with their topic are not counted. */
interface PurgeReply {
  readonly topics: number;
  readonly producers: number;
  readonly fileIds: number;
}

/** How many of each. More may be due when there are as many as one call takes on. */
interface ExpiryReply {
  readonly aborted: number;
  readonly forgottenIds: number;
}

export type ReplyOf<C extends Command> = Replies[C['kind']];

/**
 * A command that nobody of ours sends. The machine throws it before it changes anything; any other error is a defect, after
 * which nobody knows what the machine holds.
 */
export class MalformedCommand extends TypeError {
  override readonly name = 'MalformedCommand';
}
