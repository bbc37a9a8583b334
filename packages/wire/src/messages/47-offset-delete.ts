import { int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { partitionResults } from './shared-fields.ts';

/**
 * An admin client deletes single committed offsets of a group (KIP-496).
 *
 * v0 is the only version, and not a flexible one.
 * A topic that the group subscribes to is GROUP_SUBSCRIBED_TO_TOPIC. With a top-level error the topics are
 * empty.
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
    topics: partitionResults,
  },
});
