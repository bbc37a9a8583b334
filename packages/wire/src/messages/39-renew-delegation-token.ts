import { bytes, int16, int32, int64 } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * The owner or a renewer of a delegation token puts off its end (KIP-48), up to its maximum.
 *
 * KIP-896 left v1 as the oldest; v2 is flexible.
 */
export const renewDelegationToken = defineApi({
  key: 39,
  name: 'RenewDelegationToken',
  versions: '1-2',
  flexible: '2+',
  request: {
    /** Names the token. */
    hmac: bytes(),
    /** From now; -1 for the default of the server, which is also the limit. */
    renewPeriodMs: int64(),
  },
  response: {
    errorCode: int16(),
    expiryTimestampMs: int64(),
    throttleTimeMs: int32(),
  },
});
