import { string, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { result, throttledResult } from './shared-fields.ts';

/**
 * An admin client deletes the offsets of topics in an empty share group (KIP-932).
 *
 * v0 is the only version. A group with members is NON_EMPTY_GROUP. Partitions are not named: a topic is deleted as a
 * whole.
 */
export const deleteShareGroupOffsets = defineApi({
  key: 92,
  name: 'DeleteShareGroupOffsets',
  versions: '0',
  flexible: '0+',
  request: {
    groupId: string(),
    topics: structs({
      topicName: string(),
    }),
  },
  response: {
    ...throttledResult,
    responses: structs({
      topicName: string(),
      topicId: uuid(),
      ...result,
    }),
  },
});
