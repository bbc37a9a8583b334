import { bool, bytes, int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
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
      errorMessage: string({ versions: '6+', nullable: true, default: null }),
      groupId: string(),
      groupState: string(),
      protocolType: string(),
      protocolData: string(),
      members: structs({
        memberId: string(),
        groupInstanceId: string({ versions: '4+', nullable: true, default: null, ignorable: true }),
        clientId: string(),
        clientHost: string(),
        memberMetadata: bytes(),
        memberAssignment: bytes(),
      }),
      authorizedOperations: int32({ versions: '3+', default: -2147483648 }),
    }),
  },
});
