import type { Sasl } from '@weir/security';
import { type Apis, errors } from '@weir/wire';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * SaslAuthenticate v0 to v2: takes the next token of the client and returns the next token of the server.
 *
 * - Without a handshake before it is ILLEGAL_SASL_STATE; the connection is closed, unless the client is already
 *   authenticated.
 * - A failed login is answered after a delay (SASL_AUTHENTICATION_FAILED), with a message that does not reveal whether
 *   the user exists, and then the connection is closed.
 * - From v1 on the response has the lifetime of the session. After it the client must re-authenticate as the same user.
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
