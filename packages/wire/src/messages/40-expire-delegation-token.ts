import { bytes, int16, int32, int64 } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const expireDelegationToken = defineApi({
  key: 40,
  name: 'ExpireDelegationToken',
  versions: '1-2',
  flexible: '2+',
  request: {
    hmac: bytes(),
    expiryTimePeriodMs: int64(),
  },
  response: {
    errorCode: int16(),
    expiryTimestampMs: int64(),
    throttleTimeMs: int32(),
  },
});
