import { int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const offsetDelete = defineApi({
  key: 47,
  name: 'OffsetDelete',
  versions: '0',
  flexible: 'never',
  request: {
    groupId: string(),
    topics: structs({
      name: string(),
      partitions: structs({
        partitionIndex: int32(),
      }),
    }),
  },
  response: {
    errorCode: int16(),
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
