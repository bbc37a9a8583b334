import {
  bool,
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
export const shareFetch = defineApi({
  key: 78,
  name: 'ShareFetch',
  versions: '1-2',
  flexible: '0+',
  request: {
    groupId: string({ nullable: true, default: null }),
    memberId: string({ nullable: true }),
    shareSessionEpoch: int32(),
    maxWaitMs: int32(),
    minBytes: int32(),
    maxBytes: int32({ default: 2147483647 }),
    maxRecords: int32(),
    batchSize: int32(),
    shareAcquireMode: int8({ versions: '2+', default: 0, ignorable: true }),
    isRenewAck: bool({ versions: '2+', default: false }),
    topics: structs({
      topicId: uuid(),
      partitions: structs({
        partitionIndex: int32(),
        acknowledgementBatches: structs({
          firstOffset: int64(),
          lastOffset: int64(),
          acknowledgeTypes: listOf(int8),
        }),
      }),
    }),
    forgottenTopicsData: structs({
      topicId: uuid(),
      partitions: listOf(int32),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true, default: null }),
    acquisitionLockTimeoutMs: int32(),
    responses: structs({
      topicId: uuid(),
      partitions: structs({
        partitionIndex: int32(),
        errorCode: int16(),
        errorMessage: string({ nullable: true, default: null }),
        acknowledgeErrorCode: int16(),
        acknowledgeErrorMessage: string({ nullable: true, default: null }),
        currentLeader: struct({
          leaderId: int32(),
          leaderEpoch: int32(),
        }),
        records: records(),
        acquiredRecords: structs({
          firstOffset: int64(),
          lastOffset: int64(),
          deliveryCount: int16(),
        }),
      }),
    }),
    nodeEndpoints: structs({
      nodeId: int32(),
      host: string(),
      port: int32(),
      rack: string({ nullable: true, default: null }),
    }),
  },
});
