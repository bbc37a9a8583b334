import type { Clock, Log } from '@weir/core';
import { checkToken, Issuer } from '@weir/oidc';
import { OAuthBearerConversation } from './oauth-bearer.ts';
import type { Mechanism } from './sasl.ts';

interface OAuthMechanismOptions {
  readonly issuerUrl: string;
  /** Required audience of tokens. */
  readonly audience: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Creates the OAUTHBEARER mechanism for tokens of one issuer. */
export function oauthMechanism({ issuerUrl, audience, clock, log }: OAuthMechanismOptions): {
  readonly mechanism: Mechanism;
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
    mechanism: () => new OAuthBearerConversation((token) => checkToken(token, options)),
    close: () => issuer.close(),
  };
}
