import {
  int8,
  int16,
  int32,
  int64,
  listOf,
  records,
  string,
  struct,
  structs,
  uuid,
} from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const fetch = defineApi({
  key: 1,
  name: 'Fetch',
  versions: '4-18',
  flexible: '12+',
  request: {
    clusterId: string({ versions: '12+', nullable: true, default: null, tag: 0, ignorable: true }),
    replicaId: int32({ versions: '4-14', default: -1 }),
    replicaState: struct(
      {
        replicaId: int32({ default: -1 }),
        replicaEpoch: int64({ default: -1n }),
      },
      { versions: '15+', tag: 1 },
    ),
    maxWaitMs: int32(),
    minBytes: int32(),
    maxBytes: int32({ default: 2147483647 }),
    isolationLevel: int8({ default: 0 }),
    sessionId: int32({ versions: '7+', default: 0, ignorable: true }),
    sessionEpoch: int32({ versions: '7+', default: -1, ignorable: true }),
    topics: structs({
      topic: string({ versions: '4-12', ignorable: true }),
      topicId: uuid({ versions: '13+', ignorable: true }),
      partitions: structs({
        partition: int32(),
        currentLeaderEpoch: int32({ versions: '9+', default: -1, ignorable: true }),
        fetchOffset: int64(),
        lastFetchedEpoch: int32({ versions: '12+', default: -1 }),
        logStartOffset: int64({ versions: '5+', default: -1n, ignorable: true }),
        partitionMaxBytes: int32(),
        replicaDirectoryId: uuid({ versions: '17+', tag: 0, ignorable: true }),
        highWatermark: int64({ versions: '18+', default: 9223372036854775807n, tag: 1, ignorable: true }),
      }),
    }),
    forgottenTopicsData: structs(
      {
        topic: string({ versions: '7-12', ignorable: true }),
        topicId: uuid({ versions: '13+', ignorable: true }),
        partitions: listOf(int32),
      },
      { versions: '7+' },
    ),
    rackId: string({ versions: '11+', default: '', ignorable: true }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16({ versions: '7+', ignorable: true }),
    sessionId: int32({ versions: '7+', default: 0 }),
    responses: structs({
      topic: string({ versions: '4-12', ignorable: true }),
      topicId: uuid({ versions: '13+', ignorable: true }),
      partitions: structs({
        partitionIndex: int32(),
        errorCode: int16(),
        highWatermark: int64(),
        lastStableOffset: int64({ default: -1n }),
        logStartOffset: int64({ versions: '5+', default: -1n, ignorable: true }),
        divergingEpoch: struct(
          {
            epoch: int32({ default: -1 }),
            endOffset: int64({ default: -1n }),
          },
          { versions: '12+', tag: 0 },
        ),
        currentLeader: struct(
          {
            leaderId: int32({ default: -1 }),
            leaderEpoch: int32({ default: -1 }),
          },
          { versions: '12+', tag: 1 },
        ),
        snapshotId: struct(
          {
            endOffset: int64({ default: -1n }),
            epoch: int32({ default: -1 }),
          },
          { versions: '12+', tag: 2 },
        ),
        abortedTransactions: structs(
          {
            producerId: int64(),
            firstOffset: int64(),
          },
          { nullable: true },
        ),
        preferredReadReplica: int32({ versions: '11+', default: -1 }),
        records: records({ nullable: true }),
      }),
    }),
    nodeEndpoints: structs(
      {
        nodeId: int32(),
        host: string(),
        port: int32(),
        rack: string({ nullable: true, default: null }),
      },
      { versions: '16+', tag: 0 },
    ),
  },
});
