import { int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A member leaves a classic group at once rather than by timeout; an admin tool removes members.
 *
 * v1 adds the throttle time, v2 throttles after the answer (KIP-219), v3 makes it a batch and adds static
 * members (KIP-345), v4 the flexible encoding, v5 a reason (KIP-800).
 * From v3 on each member has its own error, and the top-level one is about the group.
 */
export const leaveGroup = defineApi({
  key: 13,
  name: 'LeaveGroup',
  versions: '0-5',
  flexible: '4+',
  request: {
    groupId: string(),
    memberId: string({ versions: '0-2' }),
    members: structs(
      {
        /** Empty to remove a static member by its instance id alone. */
        memberId: string(),
        groupInstanceId: string({ nullable: true, default: null }),
        reason: string({ versions: '5+', nullable: true, default: null, ignorable: true }),
      },
      { versions: '3+' },
    ),
  },
  response: {
    throttleTimeMs: int32({ versions: '1+', ignorable: true }),
    errorCode: int16(),
    members: structs(
      {
        memberId: string(),
        groupInstanceId: string({ nullable: true }),
        errorCode: int16(),
      },
      { versions: '3+' },
    ),
  },
});
