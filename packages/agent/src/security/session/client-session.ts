import { anonymous, type Principal, principalWithoutCredential } from '../principal.ts';
import type { PrincipalOf } from '../principals.ts';
import type { SaslSession } from './sasl-session.ts';

/** What is known of the client at the other end of a connection. It lives as long as the connection does. */
export interface ClientSession {
  /** Without the port. Of the client itself, when a proxy in between told it. */
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly isEncrypted: boolean;
  /** The user that the client has proved to be, by a certificate, a proxy or a login; `undefined` until it has. */
  user: string | undefined;
  /**
   * Who that is for rules and quotas. Asked anew each time, so that a right that is withdrawn is gone with the next request, however the
   * client came to it.
   */
  readonly principal: Principal;
  /** How far a login by SASL has come, once there was a word of it. */
  sasl?: SaslSession;
}

/** The session of a connection on which nobody has said anything yet, except by what came before its first request. */
export function openSession(from: {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly isEncrypted?: boolean;
  readonly user?: string | undefined;
  readonly principalOf?: PrincipalOf;
}): ClientSession {
  const {
    remoteAddress,
    remotePort,
    isEncrypted = false,
    user,
    principalOf = principalWithoutCredential,
  } = from;
  return {
    remoteAddress,
    remotePort,
    isEncrypted,
    user,
    get principal() {
      return this.user === undefined ? anonymous : principalOf(this.user);
    },
  };
}
