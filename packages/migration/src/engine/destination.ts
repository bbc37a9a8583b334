import type { KafkaAcl } from '@weir/client';
import type { CopiedBatch } from '../batches/copied-batch.ts';
import type { EndBatch } from '../truncation/index.ts';

/** The cluster that a migration writes to, as its jobs see it. They reach it through the agent that runs them. */

export type MigrationState = 'REPLICATING' | 'PROXY' | 'BLOCKED' | 'MIGRATED';

/** A topic that a migration manages, or has handed over, as the agent's view has it. */
export interface ManagedTopicView {
  readonly topicId: string;
  readonly name: string;
  readonly partitionCount: number;
  readonly sourceTopic: string;
  /** Empty if the source has no ids. */
  readonly sourceTopicId: string;
  readonly state: MigrationState;
  readonly epoch: number;
  readonly changedMs: number;
  readonly changedBy: string;
  readonly reason: string;
  readonly deadlineMs?: number | undefined;
}

/** Batches of one partition that follow each other. */
export interface CopiedPart {
  readonly pipelineId: string;
  readonly topicId: string;
  readonly partition: number;
  /** Where the partition has to end for them to be appended. */
  readonly expectedOffset: number;
  readonly batches: readonly CopiedBatch[];
  readonly slices: readonly Buffer[];
  readonly byteLength: number;
  readonly nextOffset: number;
}

/** What became of a part; -1 if it is not known where the partition ends. */
export type CopyOutcome =
  | { readonly error: 'NONE'; readonly nextOffset: number }
  | {
      readonly error:
        | 'UNKNOWN_TOPIC_ID'
        | 'UNKNOWN_TOPIC_OR_PARTITION'
        | 'NOT_MANAGED'
        | 'END_CHANGED'
        | 'KAFKA_STORAGE_ERROR'
        | 'OFFSET_OUT_OF_RANGE'
        | 'UNAVAILABLE';
      readonly nextOffset: number;
      readonly message: string;
    };

export interface ManagedLogStart {
  readonly topicId: string;
  readonly partition: number;
  readonly logStartOffset: number;
  /** The end of the copy. With it, the start may be beyond the end: the records between are lost at the source. */
  readonly endOffset?: number | undefined;
}

export interface LogStartOutcome {
  readonly error: string;
  readonly logStartOffset: number;
  readonly nextOffset: number;
}

export interface CopyEnd {
  readonly topicId: string;
  readonly partition: number;
  readonly nextOffset: number;
}

/** The batch before the end of a copy. */
export interface LastBatch {
  readonly batch: EndBatch;
  /** Whether the source may have compacted it since. */
  readonly isCompacted: boolean;
}

/** What the copy of partitions needs. */
export interface CopyDestination {
  /** The topics of the migration. */
  managedTopics(): readonly ManagedTopicView[];
  /** Where a partition ends, as far as this agent knows. */
  endOffset(topicId: string, partition: number): number | undefined;
  /** Never rejects. Parts of one partition are appended in the order of the calls. */
  append(part: CopiedPart): Promise<CopyOutcome>;
  /** Reads what copies end with, in the order of the ends; nothing of a copy that has no records. */
  lastBatches(ends: readonly CopyEnd[]): Promise<readonly (LastBatch | undefined)[]>;
  moveLogStarts(starts: readonly ManagedLogStart[]): Promise<readonly LogStartOutcome[]>;
}

/** A managed topic as the leader has it. */
export interface ManagedTopicState {
  readonly topic: {
    readonly topicId: string;
    readonly name: string;
    readonly partitionCount: number;
    readonly configs: Readonly<Record<string, string>>;
  };
  readonly migration: Omit<ManagedTopicView, 'topicId' | 'name' | 'partitionCount'>;
  /** By partition. */
  readonly logStartOffset: Float64Array;
  readonly nextOffset: Float64Array;
  readonly lastStableOffset: Float64Array;
  /** Records that agents passed on to the source since the leader has led. */
  readonly forwardedRecords: number;
  /** Agents that may still act by an earlier state. */
  readonly unconfirmedAgents: readonly string[];
}

export interface TopicToManage {
  readonly name: string;
  readonly sourceTopic: string;
  readonly sourceTopicId: string;
  readonly configs: Readonly<Record<string, string>>;
  readonly logStarts: Float64Array;
}

export interface ManagedTopicResult {
  readonly error: string;
  readonly message: string | null;
}

export interface StateChanges {
  readonly topics: readonly {
    readonly topicId: string;
    readonly from: MigrationState;
    readonly epoch: number;
  }[];
  readonly to: MigrationState;
  readonly deadlineMs?: number | undefined;
  /** By the clock of the leader. */
  readonly lastsMs?: number | undefined;
  readonly reason: string;
  readonly isIrreversible?: boolean | undefined;
}

export interface StateAnswer {
  readonly error: string;
  readonly message: string | null;
}

export interface GroupOffsets {
  readonly groupId: string;
  readonly offsets: readonly {
    readonly topicId: string;
    readonly partition: number;
    readonly offset: number;
    readonly metadata: string;
  }[];
}

export interface GroupOffsetsResult {
  readonly error: string;
  /** By offset. */
  readonly offsets: readonly string[];
}

/** What is known of a topic of the source, for the leader. */
export interface SourceTopicReport {
  readonly topic: string;
  readonly sourceTopic: string;
  readonly topicId?: string | undefined;
  readonly epoch?: number | undefined;
  readonly sourceStarts: Float64Array;
  readonly sourceEnds: Float64Array;
  readonly unchangedReads: number;
  readonly unproxiedRecords?: number | undefined;
  readonly hasUnproxiedLately?: boolean | undefined;
  /** Why a cut-over that was asked for waits, in one line. */
  readonly held?: string | undefined;
  readonly stopped: readonly { readonly partition: number; readonly error: string }[];
  readonly error?: string | undefined;
}

/** What the job needs that keeps topics, groups and states. */
export interface TopicsDestination extends Pick<CopyDestination, 'lastBatches'> {
  managedTopics(): readonly ManagedTopicView[];
  /** Those of the migration, as the leader has them now. */
  list(topicIds?: readonly string[]): Promise<readonly ManagedTopicState[]>;
  manage(topics: readonly TopicToManage[]): Promise<readonly ManagedTopicResult[]>;
  grow(
    topics: readonly {
      readonly topicId: string;
      /** How many there are before. */
      readonly partitionCount: number;
      /** Of those that are added. */
      readonly logStarts: Float64Array;
    }[],
  ): Promise<readonly ManagedTopicResult[]>;
  remove(topicIds: readonly string[]): Promise<readonly ManagedTopicResult[]>;
  setConfigs(
    topics: readonly { readonly topicId: string; readonly configs: Readonly<Record<string, string>> }[],
  ): Promise<readonly ManagedTopicResult[]>;
  moveLogStarts(starts: readonly ManagedLogStart[]): Promise<readonly LogStartOutcome[]>;
  changeStates(changes: StateChanges): Promise<StateAnswer>;
  commitOffsets(groups: readonly GroupOffsets[]): Promise<readonly GroupOffsetsResult[]>;
  createAcls(acls: readonly KafkaAcl[]): Promise<readonly { readonly message: string | null }[]>;
  /** Configs that are set for the cluster. */
  clusterConfigs(): Readonly<Record<string, string>>;
  setClusterConfigs(configs: Readonly<Record<string, string>>): Promise<readonly string[]>;
  /** Reports to the leader what is known. It must not throw. */
  report(topics: readonly SourceTopicReport[], error: string | undefined): void;
}
