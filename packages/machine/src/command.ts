import type {
  AclFilter,
  AclResult,
  AlterClientQuotasResult,
  AlterConfigsResult,
  ChangedToken,
  ClientQuotasToAlter,
  CompactionCommit,
  CompactionResult,
  ConfigsBy,
  ConfigsToAlter,
  CopiedFile,
  CopiedFileResult,
  CopiedGroupOffsets,
  CopiedGroupResult,
  CreatedToken,
  CredentialResult,
  CredentialToPut,
  DeletedAcls,
  DeleteRecordsResult,
  FileCommit,
  FileCommitResult,
  GroupError,
  ManagedConfigs,
  ManagedLogStart,
  ManagedLogStartResult,
  ManagedTopicResult,
  MigrationStateAnswer,
  MigrationStateChanges,
  OffsetsToAdd,
  PartitionsToAdd,
  PartitionsToCreate,
  PartitionsToManage,
  PasswordRotation,
  PasswordRotationResult,
  RecordsToDelete,
  RegistryChangeRequest,
  RegistryChangeResult,
  ScramCredentialChange,
  ScramCredentialResult,
  SealedToken,
  TokenToChange,
  TopicCloneResult,
  TopicReference,
  TopicResult,
  TopicToClone,
  TopicToCreate,
  TopicToManage,
  TransactionAnswer,
  TransactionalProducer,
  TransactionalProducerToInit,
  TransactionOffsetsAnswer,
  TransactionOffsetsToCommit,
  TransactionToEnd,
} from '@weir/cluster';
import type { Acl } from '@weir/core';
import type { SeenLogins } from './credentials/credential-use.ts';
import type { EntryChange } from './kv/put-entries.ts';
import type { RetentionPlace } from './log-start/retention.ts';
import type { NodeIdRequest } from './node-ids/node-ids.ts';
import type { GroupOffsets } from './offsets/commit-offsets.ts';
import type { OffsetsToForget } from './offsets/forget-offsets.ts';

/**
 * All commands that change a cluster. The machine is deterministic: commands carry ids, and the time is a separate
 * argument.
 */
export type Command =
  | { readonly kind: 'commitFiles'; readonly files: readonly FileCommit[] }
  | {
      readonly kind: 'createTopics';
      readonly topics: readonly TopicToCreate[];
      /** One fresh id per topic, in Kafka's format of 22 characters. Ids of refused topics are not used. */
      readonly topicIds: readonly string[];
      readonly validateOnly: boolean;
      /** With `validateOnly`: partitions of topics of the same request that earlier calls found valid. */
      readonly partitionsBefore?: number | undefined;
    }
  | { readonly kind: 'deleteTopics'; readonly topics: readonly TopicReference[] }
  /** Deletes topics with their data, irrevocably. */
  | { readonly kind: 'removeTopics'; readonly topics: readonly TopicReference[] }
  | { readonly kind: 'restoreTopics'; readonly topicIds: readonly string[] }
  | {
      /** Creates a topic that begins with the records of another, which both then share. */
      readonly kind: 'cloneTopic';
      readonly request: TopicToClone;
      /** A fresh id. */
      readonly topicId: string;
    }
  | {
      readonly kind: 'createPartitions';
      readonly topics: readonly PartitionsToCreate[];
      readonly validateOnly: boolean;
    }
  | {
      /** Creates topics that a migration manages. */
      readonly kind: 'manageTopics';
      readonly pipelineId: string;
      readonly topics: readonly TopicToManage[];
      /** As for `createTopics`. */
      readonly topicIds: readonly string[];
    }
  | {
      readonly kind: 'growManagedTopics';
      readonly pipelineId: string;
      readonly topics: readonly PartitionsToManage[];
    }
  | {
      readonly kind: 'deleteManagedTopics';
      readonly pipelineId: string;
      readonly topicIds: readonly string[];
    }
  | {
      readonly kind: 'setManagedConfigs';
      readonly pipelineId: string;
      readonly topics: readonly ManagedConfigs[];
    }
  | {
      readonly kind: 'moveManagedLogStarts';
      readonly pipelineId: string;
      readonly starts: readonly ManagedLogStart[];
    }
  /** Appends batches of another cluster with their offsets. */
  | { readonly kind: 'appendCopied'; readonly file: CopiedFile }
  /** Changes the states of managed topics. The leader has checked what agents confirmed. */
  | { readonly kind: 'changeMigrationStates'; readonly changes: MigrationStateChanges }
  /** Ends states of managed topics whose deadline is over. Sent every second. */
  | { readonly kind: 'expireMigrationStates' }
  | {
      /** Commits offsets of groups of another cluster, which are empty here. */
      readonly kind: 'commitCopiedOffsets';
      readonly pipelineId: string;
      readonly groups: readonly CopiedGroupOffsets[];
    }
  | { readonly kind: 'allocateProducerIds'; readonly count: number }
  | {
      /** Sets and unsets configs of the cluster, all or none. `null` unsets. */
      readonly kind: 'alterClusterConfigs';
      readonly configs: Readonly<Record<string, string | null>>;
    }
  | {
      /** Puts and removes key-value entries, all or none. */
      readonly kind: 'putEntries';
      readonly changes: readonly EntryChange[];
    }
  | {
      /** Sets and removes quotas; the changes of one entity are atomic. */
      readonly kind: 'alterClientQuotas';
      readonly entities: readonly ClientQuotasToAlter[];
      readonly validateOnly: boolean;
    }
  | {
      readonly kind: 'alterScramCredentials';
      readonly changes: readonly ScramCredentialChange[];
      /** Default: clients. */
      readonly by?: ConfigsBy;
    }
  | { readonly kind: 'putCredentials'; readonly credentials: readonly CredentialToPut[] }
  | { readonly kind: 'deleteCredentials'; readonly usernames: readonly string[] }
  | { readonly kind: 'rotatePassword'; readonly rotation: PasswordRotation }
  | { readonly kind: 'endOldPassword'; readonly username: string }
  | { readonly kind: 'createDelegationToken'; readonly token: SealedToken }
  | { readonly kind: 'renewDelegationToken'; readonly change: TokenToChange }
  | { readonly kind: 'expireDelegationToken'; readonly change: TokenToChange }
  /**
   * Stores when credentials were last used, at most about once a day each, and removes old passwords and delegation
   * tokens whose time is over. Sent every minute.
   */
  | { readonly kind: 'noteLogins'; readonly logins: SeenLogins }
  /** Assigns the node id of an agent: the one that it has or had, or a free one. */
  | { readonly kind: 'assignNodeId'; readonly request: NodeIdRequest }
  /** Creates rules, each independently. */
  | { readonly kind: 'createAcls'; readonly acls: readonly Acl[] }
  | { readonly kind: 'deleteAcls'; readonly filters: readonly AclFilter[] }
  | { readonly kind: 'commitOffsets'; readonly groups: readonly GroupOffsets[] }
  /** Removes offsets that were deleted or have expired. */
  | { readonly kind: 'forgetOffsets'; readonly groups: readonly OffsetsToForget[] }
  | { readonly kind: 'initTransactionalProducer'; readonly request: TransactionalProducerToInit }
  | { readonly kind: 'addPartitionsToTransaction'; readonly request: PartitionsToAdd }
  | { readonly kind: 'addOffsetsToTransaction'; readonly request: OffsetsToAdd }
  | { readonly kind: 'commitTransactionOffsets'; readonly request: TransactionOffsetsToCommit }
  | { readonly kind: 'endTransaction'; readonly request: TransactionToEnd }
  /** Aborts transactions that exceed their timeout, and expires unused transactional ids. Sent every second. */
  | { readonly kind: 'expireTransactions' }
  | {
      /** Sets and unsets configs; the changes of one resource are atomic. */
      readonly kind: 'alterConfigs';
      readonly resources: readonly ConfigsToAlter[];
      readonly validateOnly: boolean;
      /** Default: clients. */
      readonly by?: ConfigsBy;
    }
  | { readonly kind: 'deleteRecords'; readonly partitions: readonly RecordsToDelete[] }
  /** Applies retention to some partitions. The reply contains the position to continue from; start with 0 and 0. */
  | { readonly kind: 'applyRetention'; readonly from: RetentionPlace }
  /** Commits a compaction. */
  | { readonly kind: 'replaceRanges'; readonly commit: CompactionCommit }
  /** Forgets dead files that were deleted from the bucket. Others are left out. */
  | { readonly kind: 'forgetDeadFiles'; readonly fileIds: readonly string[] }
  | {
      /**
       * Makes files dead that the cluster does not know: they were uploaded and never committed. Others are left out.
       */
      readonly kind: 'declareFilesDead';
      readonly fileIds: readonly string[];
      /** By file; 0 if it is not known. */
      readonly fileBytes?: readonly number[];
    }
  | {
      /**
       * Holds files for a clone, so that they are not dead without pointers. Without a list, all referenced files,
       * once: where the clone holds files already, nothing changes. Listed files are those of a clone that exists, and
       * may be dead, or unknown to a cluster that was restored to an earlier point.
       */
      readonly kind: 'holdFiles';
      readonly cloneId: string;
      readonly fileIds?: readonly string[];
    }
  /** The clone exists. The reply is false if that hold is not there, or was abandoned. */
  | { readonly kind: 'confirmHold'; readonly cloneId: string; readonly heldMs: number }
  /** The clone is not made. The reply is false if it was confirmed. */
  | { readonly kind: 'abandonHold'; readonly cloneId: string }
  /** The clone does not need these files any more. Others are left out. */
  | { readonly kind: 'releaseHeldFiles'; readonly cloneId: string; readonly fileIds: readonly string[] }
  /** The clone does not exist any more. The reply is false if it may: its hold is open, or there is none. */
  | { readonly kind: 'endHold'; readonly cloneId: string }
  /** In a clone: forgets unneeded files that were reported to the cluster that was cloned. Others are left out. */
  | { readonly kind: 'forgetUnneededFiles'; readonly fileIds: readonly string[] }
  /** Changes entries of the schema registry, all or none, if it still has the revision that the caller knows. */
  | { readonly kind: 'changeRegistry'; readonly request: RegistryChangeRequest }
  /** Removes what expires: soft-deleted topics after their TTL, idle producers, old file ids. Sent every minute. */
  | { readonly kind: 'purge' };

export type CommandKind = Command['kind'];

export type CommandOf<Kind extends CommandKind> = Extract<Command, { readonly kind: Kind }>;

/** The reply of each command. Lists are in the order of the command. */
export interface Replies {
  commitFiles: FileCommitResult[];
  createTopics: TopicResult[];
  deleteTopics: TopicResult[];
  removeTopics: TopicResult[];
  restoreTopics: TopicResult[];
  cloneTopic: TopicCloneResult;
  createPartitions: TopicResult[];
  manageTopics: ManagedTopicResult[];
  growManagedTopics: ManagedTopicResult[];
  deleteManagedTopics: ManagedTopicResult[];
  setManagedConfigs: ManagedTopicResult[];
  moveManagedLogStarts: ManagedLogStartResult[];
  appendCopied: CopiedFileResult;
  changeMigrationStates: MigrationStateAnswer;
  /** Number of topics whose state ended. More may be due if the limit per call was reached. */
  expireMigrationStates: number;
  /** One error per offset. */
  commitCopiedOffsets: CopiedGroupResult['offsets'][];
  /** The first of `count` ids. */
  allocateProducerIds: number;
  alterClusterConfigs: { readonly error: 'NONE' | 'INVALID_CONFIG'; readonly message: string | null };
  putEntries: { readonly error: 'NONE' | 'POLICY_VIOLATION'; readonly message: string | null };
  alterClientQuotas: AlterClientQuotasResult[];
  alterScramCredentials: ScramCredentialResult[];
  putCredentials: CredentialResult[];
  deleteCredentials: CredentialResult[];
  rotatePassword: PasswordRotationResult;
  endOldPassword: CredentialResult;
  createDelegationToken: CreatedToken;
  renewDelegationToken: ChangedToken;
  expireDelegationToken: ChangedToken;
  noteLogins: { readonly error: 'NONE' | 'POLICY_VIOLATION'; readonly message: string | null };
  /** `undefined` if no id is free or the limits of key-value entries are reached. */
  assignNodeId: { readonly nodeId: number | undefined; readonly message: string | null };
  createAcls: AclResult[];
  deleteAcls: DeletedAcls[];
  /** One error per offset. */
  commitOffsets: GroupError[][];
  /** Number of removed offsets, where the command named partitions. */
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
  replaceRanges: CompactionResult;
  /** Number of forgotten files. */
  forgetDeadFiles: number;
  /** The files that are dead now and were unknown before. */
  declareFilesDead: string[];
  holdFiles: { readonly message: string | null };
  confirmHold: boolean;
  abandonHold: boolean;
  /** Number of released files. */
  releaseHeldFiles: number;
  endHold: boolean;
  /** Number of forgotten files. */
  forgetUnneededFiles: number;
  changeRegistry: RegistryChangeResult;
  purge: PurgeReply;
}

interface RetentionReply {
  /** Number of logs whose start moved. */
  readonly moved: number;
  /** Position to continue from; `null` when all partitions have been examined. */
  readonly next: RetentionPlace | null;
}

/** Numbers of removed items. Producers removed with their topic are not counted. */
interface PurgeReply {
  readonly topics: number;
  readonly producers: number;
  readonly fileIds: number;
}

/** Numbers of processed items. More may be due if a limit per call was reached. */
interface ExpiryReply {
  readonly aborted: number;
  readonly forgottenIds: number;
}

export type ReplyOf<C extends Command> = Replies[C['kind']];

/**
 * A command that no correct caller sends. The machine throws it before any change. After any other error the state of
 * the machine is undefined.
 */
export class MalformedCommand extends TypeError {
  override readonly name = 'MalformedCommand';
}
