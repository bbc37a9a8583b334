import { int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
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
