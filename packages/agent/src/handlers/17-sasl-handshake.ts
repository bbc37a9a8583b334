import { type Apis, errors } from '@weir/wire';
import type { HandlerOf } from '../requests/handler.ts';
import type { Sasl } from '../security/sasl/sasl.ts';

/**
 * SaslHandshake v0 and v1: a client chooses the mechanism. After v0 tokens come without headers, which is the connection's business;
 * after v1 in SaslAuthenticate.
 *
 * - A mechanism that is not known or not enabled is UNSUPPORTED_SASL_MECHANISM with the list of those that are, and then the
 *   connection ends.
 * - In the middle of a login it is ILLEGAL_SASL_STATE, and then the connection ends. After one it begins another of the same
 *   user (KIP-368).
 */
export function saslHandshakeHandler(sasl: Sasl): HandlerOf<Apis['SaslHandshake']> {
  return ({ mechanism }, { session, apiVersion }) => {
    const error = sasl.handshake(session, mechanism, apiVersion);
    return { errorCode: errors[error].code, mechanisms: [...sasl.mechanisms] };
  };
}
