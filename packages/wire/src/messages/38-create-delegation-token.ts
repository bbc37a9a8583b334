import { bytes, int16, int32, int64, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const createDelegationToken = defineApi({
  key: 38,
  name: 'CreateDelegationToken',
  versions: '1-3',
  flexible: '2+',
  request: {
    ownerPrincipalType: string({ versions: '3+', nullable: true }),
    ownerPrincipalName: string({ versions: '3+', nullable: true }),
    renewers: structs({
      principalType: string(),
      principalName: string(),
    }),
    maxLifetimeMs: int64(),
  },
  response: {
    errorCode: int16(),
    principalType: string(),
    principalName: string(),
    tokenRequesterPrincipalType: string({ versions: '3+' }),
    tokenRequesterPrincipalName: string({ versions: '3+' }),
    issueTimestampMs: int64(),
    expiryTimestampMs: int64(),
    maxTimestampMs: int64(),
    tokenId: string(),
    hmac: bytes(),
    throttleTimeMs: int32(),
  },
});
