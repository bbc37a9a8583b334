import { bytes, int16, int32, int64, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A client lists the delegation tokens that it may see (KIP-48).
 *
 * KIP-896 left v1 as the oldest. v2 is flexible, v3 tells who asked for the token (KIP-373).
 * Timestamps are milliseconds since 1970.
 */
export const describeDelegationToken = defineApi({
  key: 41,
  name: 'DescribeDelegationToken',
  versions: '1-3',
  flexible: '2+',
  request: {
    /** Null for all; an empty list gets no tokens. */
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
      /** When it ends unless renewed. */
      expiryTimestamp: int64(),
      /** Beyond this it cannot be renewed. */
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
