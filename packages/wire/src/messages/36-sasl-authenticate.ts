import { bytes, int16, int64, string } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A client and the server exchange the tokens of the SASL mechanism that SaslHandshake v1 has chosen
 * (KIP-152).
 *
 * v1 adds the lifetime of the session (KIP-368), v2 the flexible encoding.
 * A failure is SASL_AUTHENTICATION_FAILED with a message, sent a moment later against guessing, and then the
 * connection closes; without a handshake before, it is ILLEGAL_SASL_STATE.
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
    /** Above 0, the client must authenticate again in that time, as the same principal; 0 for no end. */
    sessionLifetimeMs: int64({ versions: '1+', default: 0n, ignorable: true }),
  },
});
