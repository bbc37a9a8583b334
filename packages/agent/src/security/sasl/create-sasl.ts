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
  /** Secrets that only agents of the cluster know. */
  readonly agentSecrets: EntriesView;
  /** SCRAM credentials by user name. */
  readonly scramCredentials: EntriesView;
  /** Called for each login with a SCRAM credential (PLAIN or SCRAM). */
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

/**
 * Creates the SASL service of an agent. It checks passwords against the cluster view, so password logins do not depend
 * on another process.
 */
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
  // Half of the CPUs, so that the other half serves clients that are already authenticated.
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

/** Loaded on demand: the modules that validate tokens would slow down every start. */
async function oauthOf({ settings: { oauth }, clock, log }: SaslParts) {
  if (oauth === undefined) return undefined;
  const { oauthMechanism } = await import('./oauth-mechanism.ts');
  return oauthMechanism({ ...oauth, clock, log });
}

/** Returns the secret that all agents of the cluster share; until it arrives, one of this process. */
function decoySecret(agentSecrets: EntriesView): () => Uint8Array {
  const own = randomBytes(clusterSecretBytes);
  return () => agentSecrets.byKey.get(clusterSecrets.scramDecoys.key) ?? own;
}
