import type { Sasl } from '@weir/security';
import { type Apis, errors } from '@weir/wire';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * SaslHandshake v0 and v1: the client chooses the mechanism. After v0, tokens follow without Kafka headers, which the
 * connection handles; after v1, they follow in SaslAuthenticate.
 *
 * - A mechanism that is unknown or not enabled is UNSUPPORTED_SASL_MECHANISM, with the list of enabled mechanisms, and
 *   then the connection is closed.
 * - A handshake during a login is ILLEGAL_SASL_STATE, and then the connection is closed. After a login it begins a
 *   re-authentication of the same user (KIP-368).
 */
export function saslHandshakeHandler(sasl: Sasl): HandlerOf<Apis['SaslHandshake']> {
  return ({ mechanism }, { session, apiVersion }) => {
    const error = sasl.handshake(session, mechanism, apiVersion);
    return { errorCode: errors[error].code, mechanisms: [...sasl.mechanisms] };
  };
}
