import type { SsoConnection } from '../accounts/sso/sso-connections.ts';
import type { BrowserSession } from '../operations/call-context.ts';
import type { PendingCookie } from './pending-cookie.ts';

/** A browser that signs in, and what the server learns about it on the way. */
export interface Visit {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Without the port. */
  readonly remoteAddress: string;
  readonly userAgent: string;
  readonly browser: BrowserSession;
  readonly pending: PendingCookie;
  /** Aborted when the browser disconnects, or it takes too long. */
  readonly stop: AbortSignal;
  /** The connection that it signs in with. */
  connection: SsoConnection | undefined;
  /** The address of the user, as the identity provider states it. */
  email: string | undefined;
}
