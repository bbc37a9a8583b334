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

/** The calls about share groups. */
export const shareCalls = {
  /**
   * Members join, stay, change and leave with it. Gather those that come together. A member that joins chooses its id, so that
   * joining twice is joining once.
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
   * Gives records to a member for a time. Waits for as long as is asked for when there are too few. What a lost answer gave out is in
   * the memory of replies; after a failover it is given out again.
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
  /** What became of records that members were given. Gather those that come together. */
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
  /** Has a group without members begin elsewhere, with all records as if they were never given out. */
  alterShareOffsets: leaderCall<[request: ShareOffsetsToAlter], ShareOffsetsResult>(
    tuple(
      object<ShareOffsetsToAlter>({
        groupId: text,
        offsets: list(object<ShareOffsetToAlter>({ topicId: text, partition: number, startOffset: number })),
      }),
    ),
    { onRetry: 'dedupe-in-process' },
  ),
  /** Has a group without members forget topics. */
  deleteShareOffsets: leaderCall<[request: ShareOffsetsToDelete], ShareOffsetsResult>(
    tuple(object<ShareOffsetsToDelete>({ groupId: text, topicIds: list(text) })),
    { onRetry: 'dedupe-in-process' },
  ),
};

export type SharePort = PortOf<typeof shareCalls>;
