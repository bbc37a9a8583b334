import type { GroupError, GroupStateName, PartitionsOfTopic, TopicPartition } from './groups-port.ts';
import type { AbortedTransactions, Pointers } from './port.ts';

/** What can go wrong with share groups and their records, by Kafka's name. */
export type ShareError = GroupError | 'INVALID_RECORD_STATE';

/** What has not changed since the last heartbeat is `null`; a member that joins says all of it. */
export interface ShareHeartbeat {
  readonly groupId: string;
  readonly memberId: string;
  /** 0 joins, -1 leaves; otherwise what the member was told last. */
  readonly memberEpoch: number;
  readonly rackId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly subscribedTopicNames: readonly string[] | null;
}

export interface ShareHeartbeatAnswer {
  /** COORDINATOR_LOAD_IN_PROGRESS: what the heartbeat led to could not be kept just now; the member asks again. */
  readonly error: GroupError;
  readonly message: string | null;
  readonly memberId: string;
  readonly memberEpoch: number;
  readonly heartbeatIntervalMs: number;
  /** `null` when it is the one that the member was told last. */
  readonly assignment: readonly PartitionsOfTopic[] | null;
}

/** A group that is not there or has another type is GROUP_ID_NOT_FOUND, with state Dead. */
export interface ShareGroupDescription {
  readonly error: GroupError;
  readonly groupId: string;
  readonly state: GroupStateName;
  readonly epoch: number;
  readonly assignmentEpoch: number;
  readonly assignor: string;
  readonly members: readonly ShareMemberDescription[];
}

interface ShareMemberDescription {
  readonly memberId: string;
  readonly rackId: string | null;
  readonly epoch: number;
  readonly clientId: string;
  readonly clientHost: string;
  readonly subscribedTopicNames: readonly string[];
  readonly assigned: readonly PartitionsOfTopic[];
}

export interface RecordsToAcquire {
  readonly groupId: string;
  readonly memberId: string;
  /** The first is served first. */
  readonly partitions: readonly TopicPartition[];
  /** Of all partitions together; bytes by an estimate, and at least one record when there is any. */
  readonly recordsMax: number;
  readonly bytesMax: number;
  /** Fewer are worth waiting for. */
  readonly bytesMin: number;
  readonly waitMs: number;
}

export interface AcquireAnswer {
  /** What is wrong with the request as a whole; `partitions` is empty then. */
  readonly error: ShareError;
  /** How long the member has for the records. */
  readonly lockMs: number;
  /** In the order of the request. */
  readonly partitions: readonly AcquiredPartition[];
}

export interface AcquiredPartition {
  readonly error: ShareError;
  readonly acquired: AcquiredRecords;
  /** Where they lie; other records may lie there too. */
  readonly pointers: Pointers;
  /** For groups that read only what was committed: which transactions among them were not. */
  readonly aborted?: AbortedTransactions | undefined;
}

/** Ranges of records in the order of their offsets, as columns. */
interface AcquiredRecords {
  readonly firstOffset: Float64Array;
  readonly lastOffset: Float64Array;
  /** Which delivery of them this is, from 1 on. */
  readonly deliveryCount: Uint8Array;
}

/**
 * What a member says of records; the position is the code, and the first five are Kafka's. `gap`: there are no records.
 * `accept`: done. `release`: somebody else may try. `reject`: nobody can. `renew`: it takes longer. `return`: the agent could not hand
 * them out, so that they count as never delivered.
 */
export const acknowledgeTypes = ['gap', 'accept', 'release', 'reject', 'renew', 'return'] as const;

export type AcknowledgeType = (typeof acknowledgeTypes)[number];

export interface RecordsToAcknowledge {
  readonly groupId: string;
  readonly memberId: string;
  readonly partitions: readonly AcknowledgedPartition[];
  /** Partitions of which the member gives back whatever it still has. */
  readonly released: readonly TopicPartition[];
}

/** Rows ascend and do not overlap. All of them are done, or none. */
export interface AcknowledgedPartition extends TopicPartition {
  readonly firstOffset: Float64Array;
  readonly lastOffset: Float64Array;
  /** Positions in `acknowledgeTypes`. */
  readonly type: Uint8Array;
}

export interface AcknowledgeAnswer {
  /** What is wrong with the request as a whole; `partitions` is empty then. */
  readonly error: ShareError;
  readonly lockMs: number;
  /** In the order of the request. INVALID_RECORD_STATE: the member does not have some of the records, or no longer. */
  readonly partitions: readonly ShareError[];
}

export interface ShareOffsetsQuery {
  readonly groupId: string;
  /** `null` for all that the group has begun with. */
  readonly partitions: readonly TopicPartition[] | null;
}

export interface ShareOffsetsAnswer {
  readonly error: GroupError;
  /** In the order of the question; for all of them, partitions of one topic are neighbours. */
  readonly offsets: readonly ShareOffset[];
}

export interface ShareOffset extends TopicPartition {
  /** All records before it are done; -1 when the group has not begun. */
  readonly startOffset: number;
  /** Records that are still to be done; -1 when that is not known. */
  readonly lag: number;
  readonly error: GroupError;
}

export interface ShareOffsetsToAlter {
  readonly groupId: string;
  readonly offsets: readonly ShareOffsetToAlter[];
}

export interface ShareOffsetToAlter extends TopicPartition {
  readonly startOffset: number;
}

export interface ShareOffsetsToDelete {
  readonly groupId: string;
  readonly topicIds: readonly string[];
}

/** An error of the group as a whole leaves `results` empty. They come in the order of the request. */
export interface ShareOffsetsResult {
  readonly error: GroupError;
  readonly results: readonly GroupError[];
}
