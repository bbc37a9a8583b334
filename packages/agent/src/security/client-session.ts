import { anonymous, type Principal } from './principal.ts';
import type { SaslSession } from './sasl/sasl-session.ts';

/** What is known of the client at the other end of a connection. It lives as long as the connection does. */
export interface ClientSession {
  /** Without the port. Of the client itself, when a proxy in between told it. */
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly isEncrypted: boolean;
  /** Who the client is by now: anonymous until it has said who it is. */
  principal: Principal;
  /** How far a login by SASL has come, once there was a word of it. */
  sasl?: SaslSession;
}

/** The session of a connection on which nobody has said anything yet. */
export function openSession(from: {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly isEncrypted?: boolean;
  readonly principal?: Principal;
}): ClientSession {
  const { remoteAddress, remotePort, isEncrypted = false, principal = anonymous } = from;
  return { remoteAddress, remotePort, isEncrypted, principal };
}
