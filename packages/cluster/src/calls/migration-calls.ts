import type { ManagedTopic } from '../migration/managed-topic.ts';
import { migrationStates } from '../migration/migration-states.ts';
import * as s from '../shapes/shape.ts';
import { command, leaderCall } from './call.ts';
import type { GroupError } from './groups/group-names.ts';
import type { TopicDescription, TopicError } from './topic-calls.ts';

/** A topic to create for a migration, in the state REPLICATING. */
const topicToManage = s.struct({
  name: s.text,
  /** Its name and id at the source; the id is empty if the source has none. */
  sourceTopic: s.text,
  sourceTopicId: s.text,
  /** -1 or absent for the default. */
  replicationFactor: s.optional(s.number),
  configs: s.texts,
  /** Where each partition begins, which also says how many there are. */
  logStarts: s.column(Float64Array),
});
export type TopicToManage = s.TypeOf<typeof topicToManage>;

export interface ManagedTopicResult {
  /**
   * `TOPIC_ALREADY_EXISTS`: the topic is not managed by this pipeline, or for another topic of the source.
   * `SOURCE_CHANGED`: it is managed for a topic of that name with another id: the source deleted it and made another.
   */
  readonly error: TopicError | 'SOURCE_CHANGED' | 'NOT_MANAGED' | 'OFFSET_OUT_OF_RANGE';
  /** What was wrong and what to do. */
  readonly message: string | null;
  readonly topic: TopicDescription | undefined;
}

const partitionsToManage = s.struct({
  topicId: s.text,
  /** How many partitions the topic has now. */
  partitionCount: s.whole,
  /** Where those that are added begin. */
  logStarts: s.column(Float64Array),
});
export type PartitionsToManage = s.TypeOf<typeof partitionsToManage>;

const managedConfigs = s.struct({ topicId: s.text, configs: s.texts });
export type ManagedConfigs = s.TypeOf<typeof managedConfigs>;

const managedLogStart = s.struct({
  topicId: s.text,
  partition: s.whole,
  logStartOffset: s.whole,
  /**
   * The end of the copy that the caller knows. Needed beyond it only: then everything is dropped, and the log is empty
   * and goes on at the new start (a gap, because the source was faster than the copy).
   */
  endOffset: s.optional(s.whole),
});
export type ManagedLogStart = s.TypeOf<typeof managedLogStart>;

export interface ManagedLogStartResult {
  readonly error: CopyError;
  readonly logStartOffset: number;
  readonly nextOffset: number;
}

/**
 * Why copied batches were not appended.
 *
 * `UNKNOWN_TOPIC_ID`, `UNKNOWN_TOPIC_OR_PARTITION`: gone. `NOT_MANAGED`: handed over, or not of this pipeline: the copy
 * has ended. `END_CHANGED`: the partition does not end at the expected offset, and the result says where it does.
 * `KAFKA_STORAGE_ERROR`: the file was too old, or is deleted: the batches are to be written again. New errors may be
 * added at the end; the index is the code.
 */
export const copyErrors = [
  'NONE',
  'UNKNOWN_TOPIC_ID',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'NOT_MANAGED',
  'END_CHANGED',
  'KAFKA_STORAGE_ERROR',
  'OFFSET_OUT_OF_RANGE',
] as const;
export type CopyError = (typeof copyErrors)[number];

/** What a batch of a producer means, by index; see `CopiedKind` of the migration. Other batches need no row. */
export const copiedRowKinds = ['plain', 'transactional', 'commitMarker', 'abortMarker'] as const;

/** The ranges of a file, one for each of its partitions. */
const copiedRanges = s.equallyLong(
  s.struct({
    /** Index into `topicIds`. */
    topic: s.column(Uint32Array),
    partition: s.column(Uint32Array),
    byteStart: s.column(Uint32Array),
    byteLength: s.column(Uint32Array),
    /** Where the partition must end for the range to be appended, and where it ends then. Offsets may have gaps. */
    expectedOffset: s.column(Float64Array),
    nextOffset: s.column(Float64Array),
    maxTimestampMs: s.column(Float64Array),
    /** How many rows of `batches` belong to the range. */
    batchCount: s.column(Uint32Array),
  }),
  'topic',
  'partition',
  'byteStart',
  'byteLength',
  'expectedOffset',
  'nextOffset',
  'maxTimestampMs',
  'batchCount',
);

/** Batches of idempotent producers and markers, by offset: the last five per producer, and what opens a transaction. */
const copiedBatches = s.equallyLong(
  s.struct({
    /** Index into `copiedRowKinds`. */
    kind: s.column(Uint8Array),
    baseOffset: s.column(Float64Array),
    nextOffset: s.column(Float64Array),
    producerId: s.column(Float64Array),
    producerEpoch: s.column(Int16Array),
    baseSequence: s.column(Int32Array),
  }),
  'kind',
  'baseOffset',
  'nextOffset',
  'producerId',
  'producerEpoch',
  'baseSequence',
);

const copiedFile = s.struct({
  pipelineId: s.text,
  /** 32 hex digits. Its level is at least 1: batches have their offsets in their headers. */
  fileId: s.text,
  fileBytes: s.whole,
  topicIds: s.list(s.text),
  ranges: copiedRanges,
  batches: copiedBatches,
});
export type CopiedFile = s.TypeOf<typeof copiedFile>;

/** Columns with one row per range of the file. */
export interface CopiedFileResult {
  /** Indexes into `copyErrors`. */
  readonly error: Uint8Array;
  /** Where the partition ends now; -1 if it is not known. */
  readonly nextOffset: Float64Array;
}

const stateChange = s.struct({
  topicId: s.text,
  /** The state and its epoch as the caller knows them. */
  from: s.oneOf(...migrationStates),
  epoch: s.whole,
});

const stateChanges = s.struct({
  pipelineId: s.text,
  /** Change together or not at all. */
  topics: s.list(stateChange),
  to: s.oneOf(...migrationStates),
  /** See `migrationTransitions`. */
  deadlineMs: s.optional(s.whole),
  by: s.text,
  reason: s.text,
  /** Allows MIGRATED without the proxy phase. */
  isIrreversible: s.optional(s.flag),
  /** Aborts open transactions of the copies instead of refusing MIGRATED. */
  abortsTransactions: s.optional(s.flag),
  /** How long the state lasts at most, by the clock of the leader; it never outlasts a deadline before it. */
  lastsMs: s.optional(s.whole),
});
export type MigrationStateChanges = s.TypeOf<typeof stateChanges>;

export interface MigrationStateAnswer {
  /**
   * `CHANGED`: a topic has another state or epoch by now. `NOT_MANAGED`: it is unknown or of another pipeline.
   * `NOT_ALLOWED`: there is no such transition. `OPEN_TRANSACTIONS`: a transaction of the source has not ended.
   * `NOT_CONFIRMED`: an agent may still pass batches on to the source; ask again.
   */
  readonly error: 'NONE' | 'CHANGED' | 'NOT_MANAGED' | 'NOT_ALLOWED' | 'OPEN_TRANSACTIONS' | 'NOT_CONFIRMED';
  /** One line, with the topic at fault. */
  readonly message: string | null;
  /** The topics after the change; empty on error. */
  readonly topics: readonly { readonly topicId: string; readonly migration: ManagedTopic }[];
}

const copiedGroupOffsets = s.struct({
  groupId: s.text,
  offsets: s.list(s.struct({ topicId: s.text, partition: s.whole, offset: s.whole, metadata: s.text })),
});
export type CopiedGroupOffsets = s.TypeOf<typeof copiedGroupOffsets>;

export interface CopiedGroupResult {
  /** `NON_EMPTY_GROUP`: it has members here. */
  readonly error: GroupError;
  /**
   * Per offset: `NONE`, also where the group is there or further already; `NOT_MANAGED`; `OFFSET_OUT_OF_RANGE` beyond
   * the end of the copy, to be tried again later; else as for clients.
   */
  readonly offsets: readonly (GroupError | 'NOT_MANAGED' | 'OFFSET_OUT_OF_RANGE')[];
}

const managedTopicsQuery = s.struct({
  /** Absent for all pipelines. */
  pipelineId: s.optional(s.text),
  /** Absent for all topics. */
  topicIds: s.optional(s.list(s.text)),
});
export type ManagedTopicsQuery = s.TypeOf<typeof managedTopicsQuery>;

export interface ManagedTopicState {
  readonly topic: TopicDescription;
  readonly migration: ManagedTopic;
  /** By partition. */
  readonly logStartOffset: Float64Array;
  readonly nextOffset: Float64Array;
  readonly lastStableOffset: Float64Array;
  /** Bytes of the copy. */
  readonly byteCount: number;
  /** Records that agents passed on to the source since the leader has led. */
  readonly forwardedRecords: number;
  /**
   * Ids of agents that have not confirmed the epoch; each may still pass batches on. A new leader, which does not know
   * all agents yet, says so in the last entry.
   */
  readonly unconfirmedAgents: readonly string[];
}

/** What an agent needs to reach the source of a migration as the jobs of the migration do. */
export interface MigrationSource {
  readonly configurationId: string;
  readonly secretsDigest?: string | undefined;
  readonly yaml: string;
  /** The values of the named secrets that the configuration refers to. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** What an agent does with a topic that it knows. */
const agentConfirmation = s.struct({
  topicId: s.text,
  /** It acts by this epoch, and nothing that it did by an earlier one is under way. */
  epoch: s.whole,
  /** Records that it passed on to the source since it started. */
  forwardedRecords: s.whole,
});
export type AgentConfirmation = s.TypeOf<typeof agentConfirmation>;

/**
 * Calls about topics that a migration manages. The last two are those of all agents, the others of the jobs of a
 * migration and of people.
 */
export const migrationCalls = {
  /** Creates managed topics, each on its own. One that this pipeline manages for the same topic is left as it is. */
  manageTopics: command<[topics: readonly TopicToManage[], pipelineId: string], ManagedTopicResult[]>(
    s.tuple(s.list(topicToManage), s.text),
    { splits: true, hasCostlyEntries: true },
  ),
  /** Adds partitions to managed topics. */
  growManagedTopics: command<
    [topics: readonly PartitionsToManage[], pipelineId: string],
    ManagedTopicResult[]
  >(s.tuple(s.list(partitionsToManage), s.text), { splits: true }),
  /** Deletes managed topics, as the source did. They can be restored for a while. */
  deleteManagedTopics: command<[topicIds: readonly string[], pipelineId: string], ManagedTopicResult[]>(
    s.tuple(s.list(s.text), s.text),
    { splits: true },
  ),
  /** Sets all configs of managed topics: those that are not named are unset. */
  setManagedConfigs: command<[topics: readonly ManagedConfigs[], pipelineId: string], ManagedTopicResult[]>(
    s.tuple(s.list(managedConfigs), s.text),
    { splits: true },
  ),
  /** Raises log starts of managed topics, as the source did. */
  moveManagedLogStarts: command<
    [starts: readonly ManagedLogStart[], pipelineId: string],
    ManagedLogStartResult[]
  >(s.tuple(s.list(managedLogStart), s.text), { splits: true }),
  /**
   * Appends the ranges of a durable file with their own offsets, each if its partition ends where the range expects it.
   * Repeated, it changes nothing and says END_CHANGED, or the first answer.
   */
  appendCopied: command<[file: CopiedFile], CopiedFileResult>(s.tuple(copiedFile)),
  /** Changes the states of a set of topics, all or none. */
  changeMigrationStates: leaderCall<[changes: MigrationStateChanges], MigrationStateAnswer>(
    s.tuple(stateChanges),
    { onRetry: 'dedupe-in-process' },
  ),
  /** Commits offsets of groups without members: never backwards, and never of topics that are handed over. */
  commitCopiedOffsets: leaderCall<
    [groups: readonly CopiedGroupOffsets[], pipelineId: string],
    CopiedGroupResult[]
  >(s.tuple(s.list(copiedGroupOffsets), s.text), { onRetry: 'reexecute', splits: true }),
  /** Returns managed topics by name, those that are handed over too. */
  listManagedTopics: leaderCall<[query: ManagedTopicsQuery], ManagedTopicState[]>(
    s.tuple(managedTopicsQuery),
    {
      onRetry: 'reexecute',
    },
  ),
  /** Returns the configuration of a migration that runs, for agents that pass on what clients write; else `null`. */
  openMigrationSource: leaderCall<[pipelineId: string], MigrationSource | null>(s.tuple(s.text), {
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
  /** Confirms what an agent does, after every change and every few seconds. */
  confirmMigrationStates: leaderCall<[agentId: string, topics: readonly AgentConfirmation[]], void>(
    s.tuple(s.text, s.list(agentConfirmation)),
    { onRetry: 'reexecute', deadlineMs: 6_000 },
  ),
};
