import { int16, int32, listOf, string, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client deletes topics.
 *
 * KIP-896 left v1 as the oldest. v2 throttles after the answer (KIP-219), v3 adds TOPIC_DELETION_DISABLED
 * (KIP-322), v4 the flexible encoding, v5 error messages and THROTTLING_QUOTA_EXCEEDED (KIP-599), v6 topic
 * ids (KIP-516).
 * In v6 a topic has either a name or an id: both or neither is INVALID_REQUEST.
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
      /** Null if the id is unknown or the client may not learn the name. */
      name: string({ nullable: '6+' }),
      topicId: uuid({ versions: '6+', ignorable: true }),
      errorCode: int16(),
      errorMessage: string({ versions: '5+', nullable: true, default: null, ignorable: true }),
    }),
  },
});
