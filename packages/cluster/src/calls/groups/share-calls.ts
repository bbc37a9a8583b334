import { clusterLimits } from '../../limits.ts';
import * as s from '../../shapes/shape.ts';
import { leaderCall, type PortOf } from '../call.ts';
import type { AbortedTransactions, Pointers } from '../pointers.ts';
import type { TopicPartition } from '../topic-partition.ts';
import type { GroupError } from './group-names.ts';
import type { ModernGroupDescription, ModernHeartbeatAnswer } from './modern-groups.ts';

/** Errors of share groups and their records, by Kafka's names. */
export type ShareError = GroupError | 'INVALID_RECORD_STATE';

/** A field that is unchanged since the last heartbeat is `null`. A joining member sends all fields. */
const heartbeat = s.struct({
  groupId: s.text,
  memberId: s.text,
  /** 0 joins, -1 leaves; otherwise the epoch of the last answer. */
  memberEpoch: s.number,
  rackId: s.nullable(s.text),
  clientId: s.text,
  clientHost: s.text,
  subscribedTopicNames: s.nullable(s.list(s.text)),
});
export type ShareHeartbeat = s.TypeOf<typeof heartbeat>;

const topicPartition = s.object<TopicPartition>({ topicId: s.text, partition: s.number });

const recordsToAcquire = s.struct({
  groupId: s.text,
  memberId: s.text,
  /** In order of priority. */
  partitions: s.list(topicPartition),
  /** Total over all partitions. Bytes are estimated; at least one record is acquired, if any is available. */
  recordsMax: s.whole,
  bytesMax: s.whole,
  /** With fewer bytes available, the call waits up to `waitMs`. */
  bytesMin: s.whole,
  waitMs: s.whole,
});
export type RecordsToAcquire = s.TypeOf<typeof recordsToAcquire>;

export interface AcquireAnswer {
  /** Error of the request as a whole; then `partitions` is empty. */
  readonly error: ShareError;
  /** Duration of the acquisition locks. */
  readonly lockMs: number;
  /** In the order of the request. */
  readonly partitions: readonly AcquiredPartition[];
}

export interface AcquiredPartition {
  readonly error: ShareError;
  readonly acquired: AcquiredRecords;
  /** Ranges that contain the acquired records, possibly among others. */
  readonly pointers: Pointers;
  /** For read-committed groups: the aborted transactions within the ranges. */
  readonly aborted?: AbortedTransactions | undefined;
}

/** Ranges of records in offset order, as columns. */
interface AcquiredRecords {
  readonly firstOffset: Float64Array;
  readonly lastOffset: Float64Array;
  /** Number of this delivery, from 1. */
  readonly deliveryCount: Uint8Array;
}

/**
 * How a member acknowledges records. The index is the code; the first five are Kafka's. `gap`: no records exist at
 * these offsets. `accept`: processed. `release`: available for delivery to another member. `reject`: not processable by
 * any member. `renew`: extends the lock. `return`: the agent could not deliver the records to the member, so the
 * delivery is not counted.
 */
export const acknowledgeTypes = ['gap', 'accept', 'release', 'reject', 'renew', 'return'] as const;

export type AcknowledgeType = (typeof acknowledgeTypes)[number];

const acknowledgedPartition = s.equallyLong(
  s.object<AcknowledgedPartition>({
    topicId: s.text,
    partition: s.number,
    firstOffset: s.column(Float64Array),
    lastOffset: s.column(Float64Array),
    type: s.column(Uint8Array),
  }),
  'firstOffset',
  'lastOffset',
  'type',
);

const recordsToAcknowledge = s.struct({
  groupId: s.text,
  memberId: s.text,
  partitions: s.list(acknowledgedPartition),
  /** Partitions for which the member releases all records that it still holds. */
  released: s.list(topicPartition),
});
export type RecordsToAcknowledge = s.TypeOf<typeof recordsToAcknowledge>;

/** Rows are in ascending order and do not overlap. Either all rows are applied or none. */
export interface AcknowledgedPartition extends TopicPartition {
  readonly firstOffset: Float64Array;
  readonly lastOffset: Float64Array;
  /** Indexes into `acknowledgeTypes`. */
  readonly type: Uint8Array;
}

export interface AcknowledgeAnswer {
  /** Error of the request as a whole; then `partitions` is empty. */
  readonly error: ShareError;
  readonly lockMs: number;
  /** In the order of the request. INVALID_RECORD_STATE: the member does not, or no longer, hold some of the records. */
  readonly partitions: readonly ShareError[];
}

const shareOffsetsQuery = s.struct({
  groupId: s.text,
  /** `null` for all partitions that the group has started on. */
  partitions: s.nullable(s.list(topicPartition)),
});
export type ShareOffsetsQuery = s.TypeOf<typeof shareOffsetsQuery>;

export interface ShareOffsetsAnswer {
  readonly error: GroupError;
  /** In the order of the query. If the query was for all offsets, partitions of one topic are adjacent. */
  readonly offsets: readonly ShareOffset[];
}

export interface ShareOffset extends TopicPartition {
  /** All records below it are done; -1 if the group has not started on the partition. */
  readonly startOffset: number;
  /** Number of records that are not done; -1 if unknown. */
  readonly lag: number;
  readonly error: GroupError;
}

const shareOffsetsToAlter = s.struct({
  groupId: s.text,
  offsets: s.list(
    s.object<ShareOffsetToAlter>({ topicId: s.text, partition: s.number, startOffset: s.number }),
  ),
});
export type ShareOffsetsToAlter = s.TypeOf<typeof shareOffsetsToAlter>;

export interface ShareOffsetToAlter extends TopicPartition {
  readonly startOffset: number;
}

const shareOffsetsToDelete = s.struct({
  groupId: s.text,
  topicIds: s.list(s.text),
});
export type ShareOffsetsToDelete = s.TypeOf<typeof shareOffsetsToDelete>;

/** On an error of the whole group `results` is empty; otherwise it is in the order of the request. */
export interface ShareOffsetsResult {
  readonly error: GroupError;
  readonly results: readonly GroupError[];
}

/** Calls about share groups. */
export const shareCalls = {
  /**
   * Heartbeats of members, batched by the caller; members join, update and leave with them. A joining member chooses
   * its own id, so joining twice has no further effect.
   */
  shareGroupHeartbeats: leaderCall<[heartbeats: readonly ShareHeartbeat[]], ModernHeartbeatAnswer[]>(
    s.tuple(s.list(heartbeat)),
    { onRetry: 'reexecute', deadlineMs: 10_000, splits: true },
  ),
  describeShareGroups: leaderCall<[groupIds: readonly string[]], ModernGroupDescription[]>(
    s.tuple(s.list(s.text)),
    {
      onRetry: 'reexecute',
      splits: true,
    },
  ),
  /**
   * Acquires records for a member for a limited time. Waits up to `waitMs` if there are too few. A lost answer is
   * returned again from the stored replies; after a failover its records are delivered again.
   */
  acquireRecords: leaderCall<[request: RecordsToAcquire], AcquireAnswer>(s.tuple(recordsToAcquire), {
    onRetry: 'dedupe-in-process',
    deadlineMs: clusterLimits.fetchWaitMsMax + 30_000,
    waits: true,
  }),
  /** Acknowledges acquired records. Requests are batched by the caller. */
  acknowledgeRecords: leaderCall<[requests: readonly RecordsToAcknowledge[]], AcknowledgeAnswer[]>(
    s.tuple(s.list(recordsToAcknowledge)),
    { onRetry: 'dedupe-in-process' },
  ),
  describeShareOffsets: leaderCall<[queries: readonly ShareOffsetsQuery[]], ShareOffsetsAnswer[]>(
    s.tuple(s.list(shareOffsetsQuery)),
    { onRetry: 'reexecute', splits: true },
  ),
  /** Moves the start offsets of a group without members; all records count as never delivered. */
  alterShareOffsets: leaderCall<[request: ShareOffsetsToAlter], ShareOffsetsResult>(
    s.tuple(shareOffsetsToAlter),
    { onRetry: 'dedupe-in-process' },
  ),
  /** Removes topics from a group without members. */
  deleteShareOffsets: leaderCall<[request: ShareOffsetsToDelete], ShareOffsetsResult>(
    s.tuple(shareOffsetsToDelete),
    { onRetry: 'dedupe-in-process' },
  ),
};

export type SharePort = PortOf<typeof shareCalls>;
