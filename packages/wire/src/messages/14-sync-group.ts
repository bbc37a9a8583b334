import { bytes, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { classicMember } from './shared-fields.ts';

/**
 * The leader of a classic group hands in the assignment, and every member receives its part of it.
 *
 * v1 adds the throttle time, v2 throttles after the answer (KIP-219), v3 adds static members (KIP-345), v4
 * the flexible encoding, v5 the protocol, checked against the group's (KIP-559).
 * Followers wait until the leader has synced; in PreparingRebalance the answer is REBALANCE_IN_PROGRESS. The
 * assignment belongs to the clients and is never parsed.
 */
export const syncGroup = defineApi({
  key: 14,
  name: 'SyncGroup',
  versions: '0-5',
  flexible: '4+',
  request: {
    ...classicMember,
    protocolType: string({ versions: '5+', nullable: true, default: null, ignorable: true }),
    /** Null skips the check, else a mismatch is INCONSISTENT_GROUP_PROTOCOL. */
    protocolName: string({ versions: '5+', nullable: true, default: null, ignorable: true }),
    /** Only the leader sends it; empty otherwise. */
    assignments: structs({
      memberId: string(),
      assignment: bytes(),
    }),
  },
  response: {
    throttleTimeMs: int32({ versions: '1+', ignorable: true }),
    errorCode: int16(),
    protocolType: string({ versions: '5+', nullable: true, default: null, ignorable: true }),
    protocolName: string({ versions: '5+', nullable: true, default: null, ignorable: true }),
    /** Empty if the leader assigned nothing to this member. */
    assignment: bytes(),
  },
});
