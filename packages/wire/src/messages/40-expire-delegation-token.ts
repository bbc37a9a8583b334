import { bytes, int16, int32, int64 } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * The owner or a renewer of a delegation token brings its end forward or revokes it (KIP-48).
 *
 * KIP-896 left v1 as the oldest; v2 is flexible.
 */
export const expireDelegationToken = defineApi({
  key: 40,
  name: 'ExpireDelegationToken',
  versions: '1-2',
  flexible: '2+',
  request: {
    /** Names the token. */
    hmac: bytes(),
    /** From now; below 0 the token ends at once. */
    expiryTimePeriodMs: int64(),
  },
  response: {
    errorCode: int16(),
    expiryTimestampMs: int64(),
    throttleTimeMs: int32(),
  },
});
