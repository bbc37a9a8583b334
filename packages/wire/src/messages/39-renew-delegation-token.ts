import { bytes, int16, int32, int64 } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const renewDelegationToken = defineApi({
  key: 39,
  name: 'RenewDelegationToken',
  versions: '1-2',
  flexible: '2+',
  request: {
    hmac: bytes(),
    renewPeriodMs: int64(),
  },
  response: {
    errorCode: int16(),
    expiryTimestampMs: int64(),
    throttleTimeMs: int32(),
  },
});
