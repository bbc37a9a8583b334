import { bytes, int16, int32, int64, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const describeDelegationToken = defineApi({
  key: 41,
  name: 'DescribeDelegationToken',
  versions: '1-3',
  flexible: '2+',
  request: {
    owners: structs(
      {
        principalType: string(),
        principalName: string(),
      },
      { nullable: true },
    ),
  },
  response: {
    errorCode: int16(),
    tokens: structs({
      principalType: string(),
      principalName: string(),
      tokenRequesterPrincipalType: string({ versions: '3+' }),
      tokenRequesterPrincipalName: string({ versions: '3+' }),
      issueTimestamp: int64(),
      expiryTimestamp: int64(),
      maxTimestamp: int64(),
      tokenId: string(),
      hmac: bytes(),
      renewers: structs({
        principalType: string(),
        principalName: string(),
      }),
    }),
    throttleTimeMs: int32(),
  },
});
