import { int8, int16, int32, int64, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const listOffsets = defineApi({
  key: 2,
  name: 'ListOffsets',
  versions: '1-11',
  flexible: '6+',
  request: {
    replicaId: int32(),
    isolationLevel: int8({ versions: '2+' }),
    topics: structs({
      name: string(),
      partitions: structs({
        partitionIndex: int32(),
        currentLeaderEpoch: int32({ versions: '4+', default: -1, ignorable: true }),
        timestamp: int64(),
      }),
    }),
    timeoutMs: int32({ versions: '10+', ignorable: true }),
  },
  response: {
    throttleTimeMs: int32({ versions: '2+', ignorable: true }),
    topics: structs({
      name: string(),
      partitions: structs({
        partitionIndex: int32(),
        errorCode: int16(),
        timestamp: int64({ default: -1n }),
        offset: int64({ default: -1n }),
        leaderEpoch: int32({ versions: '4+', default: -1 }),
      }),
    }),
  },
});
