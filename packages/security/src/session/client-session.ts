import { anonymous, type Principal, principalWithoutCredential } from '../principal.ts';
import type { PrincipalOf } from '../principals.ts';
import type { SaslSession } from './sasl-session.ts';

/** State of the client of a connection, with the lifetime of the connection. */
export interface ClientSession {
  /** Without the port. The address of the client itself if a PROXY header has it. */
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly isEncrypted: boolean;
  /** The authenticated user, by a certificate, a proxy or a login; `undefined` until then. */
  user: string | undefined;
  /** Whether it logged in with a delegation token, with which it may not manage tokens. */
  hasToken?: boolean | undefined;
  /**
   * The principal for ACLs and quotas. Computed at each access, so that a revoked right is gone with the next request,
   * however the client authenticated.
   */
  readonly principal: Principal;
  /** After how long an idle connection is closed, if sooner than others (`broker`, transactions/awaited-commit.ts). */
  idleMsMax?: number | undefined;
  /** State of SASL, once the client has sent a SASL request. */
  sasl?: SaslSession;
}

/** Creates the session of a new connection, with what is known before its first request. */
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
