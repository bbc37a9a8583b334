import { randomBytes } from 'node:crypto';
import { clusterSecretBytes, clusterSecrets, readScramCredential } from '@weir/cluster';
import type { Clock, Log, Metrics } from '@weir/core';
import type { EntriesView } from '../../cluster/followed-entries.ts';
import { decoysFrom } from './decoys.ts';
import { LoginQueue } from './login-queue.ts';
import { PasswordCheck } from './password-check.ts';
import { PlainConversation } from './plain.ts';
import { type Mechanism, Sasl } from './sasl.ts';
import { saslMetrics } from './sasl-metrics.ts';
import { type KnownCredential, ScramConversation } from './scram.ts';

type PasswordMechanism = 'PLAIN' | 'SCRAM-SHA-512';

/** How clients may log in. */
export interface SaslSettings {
  /** Whether they have to. */
  readonly isRequired: boolean;
  readonly passwordMechanisms: readonly PasswordMechanism[];
  /** Whose tokens are taken, and to whom they must be made out. Without it there is no OAUTHBEARER. */
  readonly oauth?: { readonly issuerUrl: string; readonly audience: string } | undefined;
  /** After this time clients have to log in again; 0 for never. */
  readonly sessionMsMax: number;
}

interface SaslParts {
  readonly settings: SaslSettings;
  /** What only agents of the cluster know. */
  readonly agentSecrets: EntriesView;
  /** What is kept of passwords, by the names of users. */
  readonly scramCredentials: EntriesView;
  /** Told of everybody who logs in with what is kept of a password. */
  readonly onPasswordLogin?: (user: string) => void;
  readonly cpuCount: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface RunningSasl {
  readonly sasl: Sasl;
  close(): void;
}

/** Logins of an agent, checked against what it knows of its cluster, so that nobody else need be there. */
export async function createSasl(parts: SaslParts): Promise<RunningSasl> {
  const { settings, scramCredentials, cpuCount, clock, log, metrics } = parts;
  const decoyOf = decoysFrom(decoySecret(parts.agentSecrets));
  const credentialOf = (user: string): KnownCredential => {
    const value = scramCredentials.byKey.get(user);
    return value === undefined
      ? { credential: decoyOf(user), isReal: false }
      : { credential: readScramCredential(value), isReal: true };
  };
  const { waiting } = saslMetrics(metrics);
  // Half of the processors, so that the other half has time for those who are in already.
  const turns = new LoginQueue({
    runningMax: Math.max(1, Math.floor(cpuCount / 2)),
    onChange: (count) => waiting.set(count),
  });
  const passwords = new PasswordCheck({ credentialOf, turns });
  const ofPasswords: Readonly<Record<PasswordMechanism, Mechanism>> = {
    PLAIN: ({ remoteAddress }) =>
      new PlainConversation((user, password) => passwords.check({ user, password, remoteAddress })),
    'SCRAM-SHA-512': () => new ScramConversation({ credentialOf }),
  };
  const mechanisms = new Map<string, Mechanism>();
  for (const name of settings.passwordMechanisms) mechanisms.set(name, ofPasswords[name]);
  const oauth = await oauthOf(parts);
  if (oauth !== undefined) mechanisms.set('OAUTHBEARER', oauth.mechanism);
  const sasl = new Sasl({
    isRequired: settings.isRequired,
    mechanisms,
    sessionMsMax: settings.sessionMsMax,
    onLogin: (user, mechanism) => {
      if (Object.hasOwn(ofPasswords, mechanism)) parts.onPasswordLogin?.(user);
    },
    clock,
    log,
    metrics,
  });
  return { sasl, close: () => oauth?.close() };
}

/** Loaded when it is asked for: what it takes to judge tokens would make every start slower. */
async function oauthOf({ settings: { oauth }, clock, log }: SaslParts) {
  if (oauth === undefined) return undefined;
  const { oauthMechanism } = await import('./oauth-mechanism.ts');
  return oauthMechanism({ ...oauth, clock, log });
}

/** The secret that all agents of the cluster have; until it is there, one of our own. */
function decoySecret(agentSecrets: EntriesView): () => Uint8Array {
  const own = randomBytes(clusterSecretBytes);
  return () => agentSecrets.byKey.get(clusterSecrets.scramDecoys.key) ?? own;
}
