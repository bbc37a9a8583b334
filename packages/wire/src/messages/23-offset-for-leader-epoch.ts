import { int16, int32, int64, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const offsetForLeaderEpoch = defineApi({
  key: 23,
  name: 'OffsetForLeaderEpoch',
  versions: '2-4',
  flexible: '4+',
  request: {
    replicaId: int32({ versions: '3+', default: -2, ignorable: true }),
    topics: structs({
      topic: string(),
      partitions: structs({
        partition: int32(),
        currentLeaderEpoch: int32({ default: -1 }),
        leaderEpoch: int32(),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    topics: structs({
      topic: string(),
      partitions: structs({
        errorCode: int16(),
        partition: int32(),
        leaderEpoch: int32({ default: -1 }),
        endOffset: int64({ default: -1n }),
      }),
    }),
  },
});
