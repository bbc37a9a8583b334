import type { Clock, Log, Metrics } from '@weir/core';
import type { LoginChecks } from './login-checks.ts';
import { OAuthBearerConversation } from './oauth-bearer.ts';
import type { PasswordLogin } from './password-check.ts';
import { PlainConversation } from './plain.ts';
import { type Mechanism, Sasl } from './sasl.ts';
import { ScramConversation } from './scram.ts';

type PasswordMechanism = 'PLAIN' | 'SCRAM-SHA-512';

/** How clients may authenticate. */
export interface SaslSettings {
  /** Whether clients must authenticate. */
  readonly isRequired: boolean;
  readonly passwordMechanisms: readonly PasswordMechanism[];
  /** Issuer and required audience of tokens. If absent, OAUTHBEARER is disabled. */
  readonly oauth?: { readonly issuerUrl: string; readonly audience: string } | undefined;
  /** Clients must re-authenticate after this time; 0 for never. */
  readonly sessionMsMax: number;
}

interface SaslParts {
  readonly settings: SaslSettings;
  readonly checks: LoginChecks;
  /** Called for each login with a SCRAM credential (PLAIN or SCRAM). */
  readonly onPasswordLogin?: (login: PasswordLogin) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Creates the SASL service of an agent. */
export function createSasl(parts: SaslParts): Sasl {
  const { settings, checks, clock, log, metrics } = parts;
  const { passwords, credentialOf, tokenOf, checkToken } = checks;
  const ofPasswords: Readonly<Record<PasswordMechanism, Mechanism>> = {
    PLAIN: ({ remoteAddress }) =>
      new PlainConversation((user, password) => passwords.check({ user, password, remoteAddress })),
    'SCRAM-SHA-512': () => new ScramConversation({ credentialOf, tokenOf }),
  };
  const mechanisms = new Map<string, Mechanism>();
  for (const name of settings.passwordMechanisms) mechanisms.set(name, ofPasswords[name]);
  if (checkToken !== undefined) mechanisms.set('OAUTHBEARER', () => new OAuthBearerConversation(checkToken));
  return new Sasl({
    isRequired: settings.isRequired,
    mechanisms,
    sessionMsMax: settings.sessionMsMax,
    onLogin: (login) => {
      if (Object.hasOwn(ofPasswords, login.mechanism)) parts.onPasswordLogin?.(login);
    },
    clock,
    log,
    metrics,
  });
}
