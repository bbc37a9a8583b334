import { int32, int64, string, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { result, throttledResult } from './shared-fields.ts';

/**
 * An admin client moves an empty share group to other offsets (KIP-932).
 *
 * v0 is the only version. A group with members is NON_EMPTY_GROUP. The group restarts there, with all records
 * undelivered.
 */
export const alterShareGroupOffsets = defineApi({
  key: 91,
  name: 'AlterShareGroupOffsets',
  versions: '0',
  flexible: '0+',
  request: {
    groupId: string(),
    topics: structs({
      topicName: string(),
      partitions: structs({
        partitionIndex: int32(),
        /** A real offset: the client resolves earliest and latest by ListOffsets. */
        startOffset: int64(),
      }),
    }),
  },
  response: {
    ...throttledResult,
    responses: structs({
      topicName: string(),
      topicId: uuid(),
      partitions: structs({
        partitionIndex: int32(),
        ...result,
      }),
    }),
  },
});
