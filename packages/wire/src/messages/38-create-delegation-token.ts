import { bytes, int16, int32, int64, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { principalFields, tokenRequester } from './shared-fields.ts';

/**
 * A client asks for a delegation token: a password that expires, for itself or for another user (KIP-48, KIP-373).
 *
 * v0 was removed in Kafka 4.0; v1 throttles after the response, v2 is the first flexible version, v3 adds the owner.
 * On a connection that is not authenticated, or that logged in with a token, it is
 * DELEGATION_TOKEN_REQUEST_NOT_ALLOWED. A renewer that is no user is INVALID_PRINCIPAL_TYPE. An error has times of -1.
 */
export const createDelegationToken = defineApi({
  key: 38,
  name: 'CreateDelegationToken',
  versions: '1-3',
  flexible: '2+',
  request: {
    /** Null and empty stand for the client itself. */
    ownerPrincipalType: string({ versions: '3+', nullable: true }),
    ownerPrincipalName: string({ versions: '3+', nullable: true }),
    renewers: structs(principalFields),
    /** -1, and any other number below 1, for the maximum of the server. */
    maxLifetimeMs: int64(),
  },
  response: {
    errorCode: int16(),
    ...principalFields,
    ...tokenRequester,
    issueTimestampMs: int64(),
    expiryTimestampMs: int64(),
    maxTimestampMs: int64(),
    tokenId: string(),
    hmac: bytes(),
    throttleTimeMs: int32(),
  },
});
