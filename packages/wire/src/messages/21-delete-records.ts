import { int16, int32, int64, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const deleteRecords = defineApi({
  key: 21,
  name: 'DeleteRecords',
  versions: '0-2',
  flexible: '2+',
  request: {
    topics: structs({
      name: string(),
      partitions: structs({
        partitionIndex: int32(),
        offset: int64(),
      }),
    }),
    timeoutMs: int32(),
  },
  response: {
    throttleTimeMs: int32(),
    topics: structs({
      name: string(),
      partitions: structs({
        partitionIndex: int32(),
        lowWatermark: int64(),
        errorCode: int16(),
      }),
    }),
  },
});
