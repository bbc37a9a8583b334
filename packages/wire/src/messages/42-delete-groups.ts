import { int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client deletes groups with all their offsets (KIP-229).
 *
 * v1 throttles after the answer (KIP-219), v2 is flexible.
 * A group with members is NON_EMPTY_GROUP. All types of groups are deleted this way.
 */
export const deleteGroups = defineApi({
  key: 42,
  name: 'DeleteGroups',
  versions: '0-2',
  flexible: '2+',
  request: {
    groupsNames: listOf(string),
  },
  response: {
    throttleTimeMs: int32(),
    results: structs({
      groupId: string(),
      errorCode: int16(),
    }),
  },
});
