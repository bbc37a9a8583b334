import { bytes, int16, int32, int64, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A client has a token made by which others can log in on its behalf (KIP-48).
 *
 * KIP-896 left v1 as the oldest. v2 is flexible, v3 can name another owner (KIP-373).
 * The request must not itself be authenticated by a token, else DELEGATION_TOKEN_REQUEST_NOT_ALLOWED.
 * Timestamps are milliseconds since 1970.
 */
export const createDelegationToken = defineApi({
  key: 38,
  name: 'CreateDelegationToken',
  versions: '1-3',
  flexible: '2+',
  request: {
    /** Null, with the name, for the client itself. */
    ownerPrincipalType: string({ versions: '3+', nullable: true }),
    ownerPrincipalName: string({ versions: '3+', nullable: true }),
    /** Who else may renew and expire the token. */
    renewers: structs({
      principalType: string(),
      principalName: string(),
    }),
    /** -1 for the maximum of the server. */
    maxLifetimeMs: int64(),
  },
  response: {
    errorCode: int16(),
    principalType: string(),
    principalName: string(),
    tokenRequesterPrincipalType: string({ versions: '3+' }),
    tokenRequesterPrincipalName: string({ versions: '3+' }),
    issueTimestampMs: int64(),
    /** When it ends unless renewed. */
    expiryTimestampMs: int64(),
    /** Beyond this it cannot be renewed. */
    maxTimestampMs: int64(),
    tokenId: string(),
    /** The secret; in base64 it is the SCRAM password that goes with the token id. */
    hmac: bytes(),
    throttleTimeMs: int32(),
  },
});
