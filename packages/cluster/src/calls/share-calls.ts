import { clusterLimits } from '../limits.ts';
import type { TopicPartition } from '../ports/groups-port.ts';
import type {
  AcknowledgeAnswer,
  AcknowledgedPartition,
  AcquireAnswer,
  RecordsToAcknowledge,
  RecordsToAcquire,
  ShareGroupDescription,
  ShareHeartbeat,
  ShareHeartbeatAnswer,
  ShareOffsetsAnswer,
  ShareOffsetsQuery,
  ShareOffsetsResult,
  ShareOffsetsToAlter,
  ShareOffsetsToDelete,
  ShareOffsetToAlter,
} from '../ports/share-port.ts';
import { column, equallyLong, list, nullable, number, object, text, tuple, whole } from '../shapes/shape.ts';
import { leaderCall, type PortOf } from './call.ts';

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
