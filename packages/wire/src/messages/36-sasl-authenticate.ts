import { bytes, int16, int64, string } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const saslAuthenticate = defineApi({
  key: 36,
  name: 'SaslAuthenticate',
  versions: '0-2',
  flexible: '2+',
  request: {
    authBytes: bytes(),
  },
  response: {
    errorCode: int16(),
    errorMessage: string({ nullable: true }),
    authBytes: bytes(),
    sessionLifetimeMs: int64({ versions: '1+', default: 0n, ignorable: true }),
  },
});
