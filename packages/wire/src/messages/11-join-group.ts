import { bool, bytes, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const joinGroup = defineApi({
  key: 11,
  name: 'JoinGroup',
  versions: '0-9',
  flexible: '6+',
  request: {
    groupId: string(),
    sessionTimeoutMs: int32(),
    rebalanceTimeoutMs: int32({ versions: '1+', default: -1, ignorable: true }),
    memberId: string(),
    groupInstanceId: string({ versions: '5+', nullable: true, default: null }),
    protocolType: string(),
    protocols: structs({
      name: string(),
      metadata: bytes(),
    }),
    reason: string({ versions: '8+', nullable: true, default: null, ignorable: true }),
  },
  response: {
    throttleTimeMs: int32({ versions: '2+', ignorable: true }),
    errorCode: int16(),
    generationId: int32({ default: -1 }),
    protocolType: string({ versions: '7+', nullable: true, default: null, ignorable: true }),
    protocolName: string({ nullable: '7+' }),
    leader: string(),
    skipAssignment: bool({ versions: '9+', default: false }),
    memberId: string(),
    members: structs({
      memberId: string(),
      groupInstanceId: string({ versions: '5+', nullable: true, default: null, ignorable: true }),
      metadata: bytes(),
    }),
  },
});
