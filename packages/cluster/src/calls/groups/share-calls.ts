import { clusterLimits } from '../../limits.ts';
import {
  column,
  equallyLong,
  list,
  nullable,
  number,
  object,
  text,
  tuple,
  whole,
} from '../../shapes/shape.ts';
import { leaderCall, type PortOf } from '../call.ts';
import type { AbortedTransactions, Pointers } from '../pointers.ts';
import type { PartitionsOfTopic, TopicPartition } from '../topic-partition.ts';
import type { GroupError, GroupStateName } from './group-names.ts';

/** Errors of share groups and their records, by Kafka's names. */
export type ShareError = GroupError | 'INVALID_RECORD_STATE';

/** A field that is unchanged since the last heartbeat is `null`. A joining member sends all fields. */
export interface ShareHeartbeat {
  readonly groupId: string;
  readonly memberId: string;
  /** 0 joins, -1 leaves; otherwise the epoch of the last answer. */
  readonly memberEpoch: number;
  readonly rackId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly subscribedTopicNames: readonly string[] | null;
}

export interface ShareHeartbeatAnswer {
  /** COORDINATOR_LOAD_IN_PROGRESS: the result of the heartbeat could not be made durable; the member retries. */
  readonly error: GroupError;
  readonly message: string | null;
  readonly memberId: string;
  readonly memberEpoch: number;
  readonly heartbeatIntervalMs: number;
  /** `null` if unchanged since the last answer to the member. */
  readonly assignment: readonly PartitionsOfTopic[] | null;
}

/** A group that does not exist or has another type is GROUP_ID_NOT_FOUND, with state Dead. */
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
  /** In order of priority. */
  readonly partitions: readonly TopicPartition[];
  /** Total over all partitions. Bytes are estimated; at least one record is acquired, if any is available. */
  readonly recordsMax: number;
  readonly bytesMax: number;
  /** With fewer bytes available, the call waits up to `waitMs`. */
  readonly bytesMin: number;
  readonly waitMs: number;
}

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

export interface RecordsToAcknowledge {
  readonly groupId: string;
  readonly memberId: string;
  readonly partitions: readonly AcknowledgedPartition[];
  /** Partitions for which the member releases all records that it still holds. */
  readonly released: readonly TopicPartition[];
}

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

export interface ShareOffsetsQuery {
  readonly groupId: string;
  /** `null` for all partitions that the group has started on. */
  readonly partitions: readonly TopicPartition[] | null;
}

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

/** On an error of the whole group `results` is empty; otherwise it is in the order of the request. */
export interface ShareOffsetsResult {
  readonly error: GroupError;
  readonly results: readonly GroupError[];
}

const topicPartition = object<TopicPartition>({ topicId: text, partition: number });

const heartbeat = object<ShareHeartbeat>({
  groupId: text,
  memberId: text,
  memberEpoch: number,
  rackId: nullable(text),
  clientId: text,
  clientHost: text,
  subscribedTopicNames: nullable(list(text)),
});

const acknowledgedPartition = equallyLong(
  object<AcknowledgedPartition>({
    topicId: text,
    partition: number,
    firstOffset: column(Float64Array),
    lastOffset: column(Float64Array),
    type: column(Uint8Array),
  }),
  'firstOffset',
  'lastOffset',
  'type',
);

/** Calls about share groups. */
export const shareCalls = {
  /**
   * Heartbeats of members, batched by the caller; members join, update and leave with them. A joining member chooses
   * its own id, so joining twice has no further effect.
   */
  shareGroupHeartbeats: leaderCall<[heartbeats: readonly ShareHeartbeat[]], ShareHeartbeatAnswer[]>(
    tuple(list(heartbeat)),
    { onRetry: 'reexecute', deadlineMs: 10_000, splits: true },
  ),
  describeShareGroups: leaderCall<[groupIds: readonly string[]], ShareGroupDescription[]>(tuple(list(text)), {
    onRetry: 'reexecute',
    splits: true,
  }),
  /**
   * Acquires records for a member for a limited time. Waits up to `waitMs` if there are too few. A lost answer is
   * returned again from the stored replies; after a failover its records are delivered again.
   */
  acquireRecords: leaderCall<[request: RecordsToAcquire], AcquireAnswer>(
    tuple(
      object<RecordsToAcquire>({
        groupId: text,
        memberId: text,
        partitions: list(topicPartition),
        recordsMax: whole,
        bytesMax: whole,
        bytesMin: whole,
        waitMs: whole,
      }),
    ),
    { onRetry: 'dedupe-in-process', deadlineMs: clusterLimits.fetchWaitMsMax + 30_000, waits: true },
  ),
  /** Acknowledges acquired records. Requests are batched by the caller. */
  acknowledgeRecords: leaderCall<[requests: readonly RecordsToAcknowledge[]], AcknowledgeAnswer[]>(
    tuple(
      list(
        object<RecordsToAcknowledge>({
          groupId: text,
          memberId: text,
          partitions: list(acknowledgedPartition),
          released: list(topicPartition),
        }),
      ),
    ),
    { onRetry: 'dedupe-in-process' },
  ),
  describeShareOffsets: leaderCall<[queries: readonly ShareOffsetsQuery[]], ShareOffsetsAnswer[]>(
    tuple(list(object<ShareOffsetsQuery>({ groupId: text, partitions: nullable(list(topicPartition)) }))),
    { onRetry: 'reexecute', splits: true },
  ),
  /** Moves the start offsets of a group without members; all records count as never delivered. */
  alterShareOffsets: leaderCall<[request: ShareOffsetsToAlter], ShareOffsetsResult>(
    tuple(
      object<ShareOffsetsToAlter>({
        groupId: text,
        offsets: list(object<ShareOffsetToAlter>({ topicId: text, partition: number, startOffset: number })),
      }),
    ),
    { onRetry: 'dedupe-in-process' },
  ),
  /** Removes topics from a group without members. */
  deleteShareOffsets: leaderCall<[request: ShareOffsetsToDelete], ShareOffsetsResult>(
    tuple(object<ShareOffsetsToDelete>({ groupId: text, topicIds: list(text) })),
    { onRetry: 'dedupe-in-process' },
  ),
};

export type SharePort = PortOf<typeof shareCalls>;
