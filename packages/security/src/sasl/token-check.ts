import type { Clock, Log } from '@weir/core';
import { type CheckedToken, checkToken, Issuer } from '@weir/oidc';

interface TokenCheckOptions {
  readonly issuerUrl: string;
  /** Required audience of tokens. */
  readonly audience: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Creates the check of tokens of one issuer. */
export function createTokenCheck({ issuerUrl, audience, clock, log }: TokenCheckOptions): {
  readonly check: (token: string) => Promise<CheckedToken>;
  close(): void;
} {
  const issuer = new Issuer({
    url: issuerUrl,
    purpose: 'logins by OAUTHBEARER',
    allowsLoopbackHttp: true,
    clock,
    log,
  });
  // Loads the keys now, so that problems with the issuer are logged at the start and the first login does not wait.
  void issuer.keys().catch(() => undefined);
  const options = { issuer, audience, clock };
  return {
    check: (token) => checkToken(token, options),
    close: () => issuer.close(),
  };
}
