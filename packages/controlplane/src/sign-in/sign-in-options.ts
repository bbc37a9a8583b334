import type { Clock, Log, Metrics } from '@weir/core';
import type { Issuers } from '@weir/oidc';
import type { AccountsDatabase } from '../accounts/open.ts';
import type { SecretBox } from '../accounts/secrets/secret-box.ts';
import type { RateLimits } from '../api-server/rate-limits.ts';

export interface SignInOptions {
  readonly accounts: Pick<
    AccountsDatabase,
    'ssoConnections' | 'ssoSignIns' | 'sessions' | 'auditLog' | 'refusals'
  >;
  /** Without it single sign-on is disabled. */
  readonly secretBox: SecretBox | undefined;
  /** Created by `signInIssuers`. */
  readonly issuers: Pick<Issuers, 'of'>;
  /** Where browsers reach the control plane. With `https:`, cookies are sent over HTTPS only. */
  readonly publicUrl: () => string;
  /** Whether a proxy in front writes `X-Forwarded-For`. */
  readonly isBehindProxy?: boolean | undefined;
  /** The rate limits of passwords. */
  readonly limits: Pick<RateLimits, 'countAttempt'>;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}
