import { randomBytes } from 'node:crypto';
import type { EntriesView } from '@weir/cluster';
import {
  clusterSecretBytes,
  clusterSecrets,
  isTokenLive,
  oldPasswordAt,
  readDelegationToken,
  readScramCredential,
  tokenIterations,
} from '@weir/cluster';
import type { Clock, Log, Metrics } from '@weir/core';
import type { CheckedToken } from '@weir/oidc';
import { decoysFrom } from './decoys.ts';
import { LoginQueue } from './login-queue.ts';
import { PasswordCheck } from './password-check.ts';
import type { PipelineLogins } from './pipeline-logins.ts';
import { saslMetrics } from './sasl-metrics.ts';
import type { KnownCredential, KnownToken } from './scram.ts';

interface LoginChecksParts {
  /** Issuer and required audience of tokens. If absent, no token is accepted. */
  readonly oauth?: { readonly issuerUrl: string; readonly audience: string } | undefined;
  /** Secrets that only agents of the cluster know. */
  readonly agentSecrets: EntriesView;
  /** SCRAM credentials by user name. */
  readonly scramCredentials: EntriesView;
  /** Delegation tokens by id. */
  readonly delegationTokens: EntriesView;
  /** Logins of managed pipelines; none if absent. */
  readonly pipelineLogins?: PipelineLogins | undefined;
  readonly cpuCount: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** What the logins of all listeners share: one queue of checks, and one cache of their results. */
export interface LoginChecks {
  readonly credentialOf: (user: string) => KnownCredential;
  /** Delegation tokens by id. */
  readonly tokenOf: (tokenId: string) => KnownToken;
  readonly passwords: Pick<PasswordCheck, 'check'>;
  /** `undefined` if no issuer is configured. */
  readonly checkToken: ((token: string) => Promise<CheckedToken>) | undefined;
  close(): void;
}

/** It checks passwords against the cluster view, so password logins do not depend on another process. */
export async function createLoginChecks(parts: LoginChecksParts): Promise<LoginChecks> {
  const { scramCredentials, cpuCount, clock } = parts;
  const decoyOf = decoysFrom(decoySecret(parts.agentSecrets));
  const credentialOf = (user: string): KnownCredential => {
    const value = scramCredentials.byKey.get(user);
    if (value === undefined) return { credential: decoyOf(user), isReal: false };
    const credential = readScramCredential(value);
    return { credential, old: oldPasswordAt(credential, clock.nowMs()), isReal: true };
  };
  const tokenOf = (tokenId: string): KnownToken => {
    const value = parts.delegationTokens.byKey.get(tokenId);
    const token = value && readDelegationToken(value);
    if (token === undefined || !isTokenLive(token, clock.nowMs())) {
      const credential = { ...decoyOf(`token ${tokenId}`), iterations: tokenIterations };
      return { credential, isReal: false, owner: '', expiresMs: 0 };
    }
    return { credential: token.credential, isReal: true, owner: token.owner, expiresMs: token.expiresMs };
  };
  const { waiting } = saslMetrics(parts.metrics);
  // Half of the CPUs, so that the other half serves clients that are already authenticated.
  const turns = new LoginQueue({
    runningMax: Math.max(1, Math.floor(cpuCount / 2)),
    onChange: (count) => waiting.set(count),
  });
  const tokens = await tokenCheckOf(parts);
  const passwords = new PasswordCheck({ credentialOf, turns });
  const { pipelineLogins } = parts;
  return {
    credentialOf,
    tokenOf,
    passwords: {
      check: async (login) => {
        if (!pipelineLogins?.isPipeline(login.user)) return passwords.check(login);
        return pipelineLogins.isRight(login.user, login.password) ? 'right' : 'wrong';
      },
    },
    checkToken: tokens?.check,
    close: () => tokens?.close(),
  };
}

/** Loaded on demand: the modules that validate tokens would slow down every start. */
async function tokenCheckOf({ oauth, clock, log }: LoginChecksParts) {
  if (oauth === undefined) return undefined;
  const { createTokenCheck } = await import('./token-check.ts');
  return createTokenCheck({ ...oauth, clock, log });
}

/** Returns the secret that all agents of the cluster share; until it arrives, one of this process. */
function decoySecret(agentSecrets: EntriesView): () => Uint8Array {
  const own = randomBytes(clusterSecretBytes);
  return () => agentSecrets.byKey.get(clusterSecrets.scramDecoys.key) ?? own;
}
