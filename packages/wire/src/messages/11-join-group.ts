import { bool, bytes, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A member enters a classic group or rejoins it for a rebalance; the answer waits for the other members.
 *
 * v1 adds the rebalance timeout (KIP-62), v2 the throttle time, v3 throttles after the answer (KIP-219), v4
 * demands a member id (KIP-394), v5 adds static members (KIP-345), v6 the flexible encoding, v7 returns the
 * protocol type (KIP-559), v8 carries a reason (KIP-800), v9 spares a static leader the assignment (KIP-814).
 * From v4 on an empty member id is answered MEMBER_ID_REQUIRED and a generated one, except for static
 * members. In a stable group a rejoining leader starts a rebalance, a follower with unchanged metadata does
 * not. The metadata belongs to the clients (consumer, connect and others): it is stored and passed on, never
 * parsed.
 */
export const joinGroup = defineApi({
  key: 11,
  name: 'JoinGroup',
  versions: '0-9',
  flexible: '6+',
  request: {
    groupId: string(),
    sessionTimeoutMs: int32(),
    /** How long the others wait for this member to rejoin; -1 stands for the session timeout. */
    rebalanceTimeoutMs: int32({ versions: '1+', default: -1, ignorable: true }),
    /** Empty for a new member. */
    memberId: string(),
    groupInstanceId: string({ versions: '5+', nullable: true, default: null }),
    protocolType: string(),
    /** The assignment strategies that the member supports, the preferred one first. */
    protocols: structs({
      name: string(),
      metadata: bytes(),
    }),
    reason: string({ versions: '8+', nullable: true, default: null, ignorable: true }),
  },
  response: {
    throttleTimeMs: int32({ versions: '2+', ignorable: true }),
    errorCode: int16(),
    /** -1 on an error. */
    generationId: int32({ default: -1 }),
    protocolType: string({ versions: '7+', nullable: true, default: null, ignorable: true }),
    protocolName: string({ nullable: '7+' }),
    leader: string(),
    /** The leader retains the current assignment and does not compute a new one. */
    skipAssignment: bool({ versions: '9+', default: false }),
    memberId: string(),
    /** Filled for the leader only. */
    members: structs({
      memberId: string(),
      groupInstanceId: string({ versions: '5+', nullable: true, default: null, ignorable: true }),
      metadata: bytes(),
    }),
  },
});
