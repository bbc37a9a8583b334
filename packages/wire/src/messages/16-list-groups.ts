import { int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client lists the groups that this broker coordinates; it asks every broker to see them all.
 *
 * v1 adds the throttle time, v2 throttles after the answer (KIP-219), v3 is flexible, v4 adds states
 * (KIP-518), v5 group types (KIP-848).
 * Groups that the client may not describe are left out without an error.
 */
export const listGroups = defineApi({
  key: 16,
  name: 'ListGroups',
  versions: '0-5',
  flexible: '3+',
  request: {
    /** Empty for all; an unknown state matches nothing. */
    statesFilter: listOf(string, { versions: '4+' }),
    /** classic, consumer, share or streams, in any case; empty for all. */
    typesFilter: listOf(string, { versions: '5+' }),
  },
  response: {
    throttleTimeMs: int32({ versions: '1+', ignorable: true }),
    errorCode: int16(),
    groups: structs({
      groupId: string(),
      /** Empty for a group that only stores offsets. */
      protocolType: string(),
      groupState: string({ versions: '4+', ignorable: true }),
      groupType: string({ versions: '5+', ignorable: true }),
    }),
  },
});
