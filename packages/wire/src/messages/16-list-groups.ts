import { int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const listGroups = defineApi({
  key: 16,
  name: 'ListGroups',
  versions: '0-5',
  flexible: '3+',
  request: {
    statesFilter: listOf(string, { versions: '4+' }),
    typesFilter: listOf(string, { versions: '5+' }),
  },
  response: {
    throttleTimeMs: int32({ versions: '1+', ignorable: true }),
    errorCode: int16(),
    groups: structs({
      groupId: string(),
      protocolType: string(),
      groupState: string({ versions: '4+', ignorable: true }),
      groupType: string({ versions: '5+', ignorable: true }),
    }),
  },
});
