import { int16, int32, listOf, string, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const deleteTopics = defineApi({
  key: 20,
  name: 'DeleteTopics',
  versions: '1-6',
  flexible: '4+',
  request: {
    topics: structs(
      {
        name: string({ nullable: true, default: null }),
        topicId: uuid(),
      },
      { versions: '6+' },
    ),
    topicNames: listOf(string, { versions: '1-5', ignorable: true }),
    timeoutMs: int32(),
  },
  response: {
    throttleTimeMs: int32(),
    responses: structs({
      name: string({ nullable: '6+' }),
      topicId: uuid({ versions: '6+', ignorable: true }),
      errorCode: int16(),
      errorMessage: string({ versions: '5+', nullable: true, default: null, ignorable: true }),
    }),
  },
});
