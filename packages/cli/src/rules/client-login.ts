import type { FlagName, FlagValues } from '../flags/catalogue.ts';
import { kafkaClients, registryTools } from '../flags/rows/takers.ts';
import type { Outcome } from '../outcome.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

const flags = [
  'username',
  'password',
  'saslMechanism',
  'oauthToken',
  'oauthTokenFile',
] as const satisfies readonly FlagName[];

/** How a client logs in. */
type ClientLogin =
  | {
      readonly mechanism: 'PLAIN' | 'SCRAM-SHA-512';
      readonly username: string;
      readonly password: string;
    }
  | { readonly mechanism: 'OAUTHBEARER'; readonly token: string }
  | { readonly mechanism: 'OAUTHBEARER'; readonly tokenPath: string };

type Values = Pick<FlagValues, (typeof flags)[number]>;

/** Returns `undefined` if the client does not log in. */
export function resolveClientLogin(values: Values): Outcome<ClientLogin | undefined, Violation> {
  const { username, password, saslMechanism, oauthToken: token, oauthTokenFile: tokenPath } = values;
  const tokenFlag = token === undefined ? 'oauthTokenFile' : 'oauthToken';
  const hasToken = token !== undefined || tokenPath !== undefined;
  if (username !== undefined && hasToken) {
    return forbidden([tokenFlag, 'username'], 'set a password or a token, not both');
  }
  if (token !== undefined && tokenPath !== undefined) {
    return forbidden(['oauthToken', 'oauthTokenFile'], 'set one of them');
  }
  if (username !== undefined && password === undefined) {
    return forbidden(['username'], 'needs -password');
  }
  if (username === undefined && password !== undefined) {
    return forbidden(['password'], 'needs -username');
  }
  const mechanism = saslMechanism ?? (hasToken ? 'OAUTHBEARER' : 'PLAIN');
  if (mechanism === 'OAUTHBEARER') {
    if (token !== undefined) return { value: { mechanism, token } };
    if (tokenPath !== undefined) return { value: { mechanism, tokenPath } };
    return forbidden(['saslMechanism'], 'needs -oauthToken or -oauthTokenFile');
  }
  if (hasToken) return forbidden(['saslMechanism', tokenFlag], 'a token needs OAUTHBEARER');
  if (username !== undefined && password !== undefined) return { value: { mechanism, username, password } };
  if (saslMechanism !== undefined) {
    return forbidden(['saslMechanism'], 'needs -username and -password');
  }
  return { value: undefined };
}

export const clientLoginRule: Rule = {
  statement:
    '-username and -password authenticate with PLAIN, or with SCRAM-SHA-512 if -saslMechanism is set to it. -oauthToken ' +
    'or -oauthTokenFile authenticates with OAUTHBEARER and excludes -username. Schema registries receive them as HTTP Basic ' +
    'or Bearer.',
  flags,
  commands: [...kafkaClients, ...registryTools],
  check(values) {
    const resolved = resolveClientLogin(values);
    return 'problem' in resolved ? resolved.problem : undefined;
  },
};
