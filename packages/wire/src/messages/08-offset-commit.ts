import { int16, int32, int64, string, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const offsetCommit = defineApi({
  key: 8,
  name: 'OffsetCommit',
  versions: '2-10',
  flexible: '8+',
  request: {
    groupId: string(),
    generationIdOrMemberEpoch: int32({ default: -1 }),
    memberId: string(),
    groupInstanceId: string({ versions: '7+', nullable: true, default: null }),
    retentionTimeMs: int64({ versions: '2-4', default: -1n, ignorable: true }),
    topics: structs({
      name: string({ versions: '2-9', ignorable: true }),
      topicId: uuid({ versions: '10+', ignorable: true }),
      partitions: structs({
        partitionIndex: int32(),
        committedOffset: int64(),
        committedLeaderEpoch: int32({ versions: '6+', default: -1, ignorable: true }),
        committedMetadata: string({ nullable: true }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32({ versions: '3+', ignorable: true }),
    topics: structs({
      name: string({ versions: '2-9', ignorable: true }),
      topicId: uuid({ versions: '10+', ignorable: true }),
      partitions: structs({
        partitionIndex: int32(),
        errorCode: int16(),
      }),
    }),
  },
});
