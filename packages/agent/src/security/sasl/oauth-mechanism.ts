import type { Clock, Log } from '@weir/core';
import { checkToken, Issuer } from '@weir/oidc';
import { OAuthBearerConversation } from './oauth-bearer.ts';
import type { Mechanism } from './sasl.ts';

interface OAuthMechanismOptions {
  readonly issuerUrl: string;
  /** To whom tokens must be made out. */
  readonly audience: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Logins by tokens of one issuer. */
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
  // So that what is wrong with the issuer is logged now and not with the first login, which would have to wait besides.
  void issuer.keys().catch(() => undefined);
  const options = { issuer, audience, clock };
  return {
    mechanism: () => new OAuthBearerConversation((token) => checkToken(token, options)),
    close: () => issuer.close(),
  };
}
