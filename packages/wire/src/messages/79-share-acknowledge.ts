import { bool, int8, int16, int32, int64, listOf, string, struct, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const shareAcknowledge = defineApi({
  key: 79,
  name: 'ShareAcknowledge',
  versions: '1-2',
  flexible: '0+',
  request: {
    groupId: string({ nullable: true, default: null }),
    memberId: string({ nullable: true }),
    shareSessionEpoch: int32(),
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
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true, default: null }),
    acquisitionLockTimeoutMs: int32({ versions: '2+', ignorable: true }),
    responses: structs({
      topicId: uuid(),
      partitions: structs({
        partitionIndex: int32(),
        errorCode: int16(),
        errorMessage: string({ nullable: true, default: null }),
        currentLeader: struct({
          leaderId: int32(),
          leaderEpoch: int32(),
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
