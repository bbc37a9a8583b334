import { bool, bytes, int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client describes classic groups, their state and their members.
 *
 * v1 adds the throttle time, v2 throttles after the answer (KIP-219), v3 adds authorised operations (KIP-430), v4
 * static members (KIP-345), v5 the flexible encoding, v6 an error for missing groups (KIP-1043). A missing group has
 * the state Dead and no error up to v5, and is GROUP_ID_NOT_FOUND in v6.
 */
export const describeGroups = defineApi({
  key: 15,
  name: 'DescribeGroups',
  versions: '0-6',
  flexible: '5+',
  request: {
    groups: listOf(string),
    includeAuthorizedOperations: bool({ versions: '3+' }),
  },
  response: {
    throttleTimeMs: int32({ versions: '1+', ignorable: true }),
    groups: structs({
      errorCode: int16(),
      /** Must be left out below v6, whatever the error. */
      errorMessage: string({ versions: '6+', nullable: true, default: null }),
      groupId: string(),
      /** Empty, PreparingRebalance, CompletingRebalance, Stable or Dead. */
      groupState: string(),
      protocolType: string(),
      /** The name of the chosen assignment strategy; empty unless Stable. */
      protocolData: string(),
      members: structs({
        memberId: string(),
        groupInstanceId: string({ versions: '4+', nullable: true, default: null, ignorable: true }),
        clientId: string(),
        clientHost: string(),
        /** What the member sent in JoinGroup; empty unless Stable. */
        memberMetadata: bytes(),
        /** What the member received in SyncGroup; empty unless Stable. */
        memberAssignment: bytes(),
      }),
      /** Bit n stands for ACL operation n; the default means that it was not requested. */
      authorizedOperations: int32({ versions: '3+', default: -2147483648 }),
    }),
  },
});
