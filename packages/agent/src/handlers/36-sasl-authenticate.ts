import { type Apis, errors } from '@weir/wire';
import type { HandlerOf } from '../requests/handler.ts';
import type { Sasl } from '../security/sasl/sasl.ts';

/**
 * SaslAuthenticate v0 to v2: the next token of a login, and the next word of the server.
 *
 * - Without a handshake before it is ILLEGAL_SASL_STATE; the connection ends, unless its client has logged in before.
 * - Who fails is told so after a moment (SASL_AUTHENTICATION_FAILED), in words that say nothing about whether there is such a
 *   user, and then the connection ends.
 * - From v1 on the answer tells how long the login is good for. Then the client has to log in again, as the same user.
 */
export function saslAuthenticateHandler(sasl: Sasl): HandlerOf<Apis['SaslAuthenticate']> {
  return async ({ authBytes }, { session, closed }) => {
    const answer = await sasl.authenticate(session, authBytes, closed);
    if (answer === 'close') return 'close';
    return {
      errorCode: errors[answer.error].code,
      errorMessage: answer.message,
      authBytes: answer.token,
      sessionLifetimeMs: BigInt(answer.lifetimeMs),
    };
  };
}
