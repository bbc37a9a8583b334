import type { FlagValues } from '../flags/catalogue.ts';
import { brokers } from '../flags/rows/takers.ts';
import type { Outcome } from '../outcome.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

export type SaslMechanism = FlagValues['enabledSASLMechanisms'][number] | 'OAUTHBEARER';

type Values = Pick<
  FlagValues,
  'enabledSASLMechanisms' | 'requireSASLAuthentication' | 'saslOAuthIssuerURL' | 'saslOAuthAudience'
>;

/** The SASL mechanisms for clients. `OAUTHBEARER` is enabled if a token issuer is configured. */
export function resolveSaslMechanisms(values: Values): Outcome<readonly SaslMechanism[], Violation> {
  const { saslOAuthIssuerURL: issuer, saslOAuthAudience: audience } = values;
  if (issuer !== undefined && audience === undefined) {
    return forbidden(['saslOAuthIssuerURL'], 'needs -saslOAuthAudience');
  }
  if (issuer === undefined && audience !== undefined) {
    return forbidden(['saslOAuthAudience'], 'needs -saslOAuthIssuerURL');
  }
  if (issuer !== undefined && !isSafeIssuer(issuer)) {
    return forbidden(['saslOAuthIssuerURL'], 'use https, unless the issuer runs on this machine');
  }
  const mechanisms = new Set<SaslMechanism>(values.enabledSASLMechanisms);
  if (issuer !== undefined) mechanisms.add('OAUTHBEARER');
  if (values.requireSASLAuthentication && mechanisms.size === 0) {
    const flags = ['requireSASLAuthentication', 'enabledSASLMechanisms'] as const;
    return forbidden(flags, 'enable at least one SASL mechanism');
  }
  return { value: [...mechanisms] };
}

/** A server that impersonates the issuer could admit any client, so the issuer needs https or loopback. */
function isSafeIssuer(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'https:' || /^(?:localhost|\[::1\]|127(?:\.\d+){3})$/.test(hostname);
}

export const saslRule: Rule = {
  statement:
    '-saslOAuthIssuerURL and -saslOAuthAudience need each other and enable OAUTHBEARER; the issuer needs https, unless ' +
    'it runs on this machine. -requireSASLAuthentication needs at least one mechanism.',
  flags: ['requireSASLAuthentication', 'enabledSASLMechanisms', 'saslOAuthIssuerURL', 'saslOAuthAudience'],
  commands: brokers,
  check(values) {
    const resolved = resolveSaslMechanisms(values);
    return 'problem' in resolved ? resolved.problem : undefined;
  },
};
