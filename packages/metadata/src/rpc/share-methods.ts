import { caps } from '@weir/core';
import type { TopicPartition } from '../cluster/groups-port.ts';
import type {
  AcknowledgedPartition,
  RecordsToAcknowledge,
  RecordsToAcquire,
  ShareHeartbeat,
  ShareOffsetsQuery,
  ShareOffsetsToAlter,
  ShareOffsetsToDelete,
  ShareOffsetToAlter,
  SharePort,
} from '../cluster/share-port.ts';
import type { Method } from './methods.ts';
import { column, equallyLong, list, nullable, number, object, text, tuple, whole } from './shape.ts';

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
export const shareMethods = {
  // A member that joins makes up its id, so that joining twice is joining once.
  shareGroupHeartbeats: { again: 'repeated', deadlineMs: 10_000, args: tuple(list(heartbeat)) },
  describeShareGroups: { again: 'repeated', deadlineMs: 30_000, args: tuple(list(text)) },
  // What an answer that got lost gave out is found again in the memory of replies; after a failover nobody has it.
  acquireRecords: {
    again: 'remembered',
    deadlineMs: caps.fetchWaitMsMax + 30_000,
    waits: true,
    args: tuple(
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
  },
  acknowledgeRecords: {
    again: 'remembered',
    deadlineMs: 30_000,
    args: tuple(
      list(
        object<RecordsToAcknowledge>({
          groupId: text,
          memberId: text,
          partitions: list(acknowledgedPartition),
          released: list(topicPartition),
        }),
      ),
    ),
  },
  describeShareOffsets: {
    again: 'repeated',
    deadlineMs: 30_000,
    args: tuple(
      list(object<ShareOffsetsQuery>({ groupId: text, partitions: nullable(list(topicPartition)) })),
    ),
  },
  alterShareOffsets: {
    again: 'remembered',
    deadlineMs: 30_000,
    args: tuple(
      object<ShareOffsetsToAlter>({
        groupId: text,
        offsets: list(object<ShareOffsetToAlter>({ topicId: text, partition: number, startOffset: number })),
      }),
    ),
  },
  deleteShareOffsets: {
    again: 'remembered',
    deadlineMs: 30_000,
    args: tuple(object<ShareOffsetsToDelete>({ groupId: text, topicIds: list(text) })),
  },
} as const satisfies { readonly [M in keyof SharePort]: Method<Parameters<SharePort[M]>> };
