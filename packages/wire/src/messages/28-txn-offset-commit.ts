import { int16, int32, int64, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const txnOffsetCommit = defineApi({
  key: 28,
  name: 'TxnOffsetCommit',
  versions: '0-5',
  flexible: '3+',
  request: {
    transactionalId: string(),
    groupId: string(),
    producerId: int64(),
    producerEpoch: int16(),
    generationId: int32({ versions: '3+', default: -1 }),
    memberId: string({ versions: '3+', default: '' }),
    groupInstanceId: string({ versions: '3+', nullable: true, default: null }),
    topics: structs({
      name: string(),
      partitions: structs({
        partitionIndex: int32(),
        committedOffset: int64(),
        committedLeaderEpoch: int32({ versions: '2+', default: -1, ignorable: true }),
        committedMetadata: string({ nullable: true }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    topics: structs({
      name: string(),
      partitions: structs({
        partitionIndex: int32(),
        errorCode: int16(),
      }),
    }),
  },
});
