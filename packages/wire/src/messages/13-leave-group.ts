import { int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
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
