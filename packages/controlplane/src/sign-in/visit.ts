import type { SsoConnection } from '../accounts/sso/sso-connections.ts';
import type { BrowserSession } from '../operations/call-context.ts';
import type { PendingCookie } from './pending-cookie.ts';

/** A browser that comes to sign in, and what becomes known of it on the way. */
export interface Visit {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Without the port. */
  readonly remoteAddress: string;
  readonly userAgent: string;
  readonly browser: BrowserSession;
  readonly pending: PendingCookie;
  /** Aborted when the browser goes away, or it takes too long. */
  readonly stop: AbortSignal;
  /** The one that it signs in with. */
  connection: SsoConnection | undefined;
  /** Who it is, by the word of the identity provider. */
  email: string | undefined;
}
