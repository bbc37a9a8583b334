import { int16, int32, string, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
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
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true, default: null }),
    responses: structs({
      topicName: string(),
      topicId: uuid(),
      errorCode: int16(),
      errorMessage: string({ nullable: true, default: null }),
    }),
  },
});
