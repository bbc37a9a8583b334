import { bytes, int64 } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { changedToken } from './shared-fields.ts';

/**
 * The owner of a delegation token, or one of its renewers, ends it (KIP-48).
 *
 * v0 was removed in Kafka 4.0; v1 throttles after the response, v2 is the first flexible version.
 * An unknown HMAC is DELEGATION_TOKEN_NOT_FOUND, another client DELEGATION_TOKEN_OWNER_MISMATCH.
 */
export const expireDelegationToken = defineApi({
  key: 40,
  name: 'ExpireDelegationToken',
  versions: '1-2',
  flexible: '2+',
  request: {
    hmac: bytes(),
    /** Below 0 it ends at once. */
    expiryTimePeriodMs: int64(),
  },
  response: changedToken,
});
