import type { Clock } from '@weir/core';
import type { Authorize } from '../agent-keys.ts';
import {
  isAgentToken,
  readAgentToken,
  type SecretsOf,
  signAgentToken,
} from '../workload-identity/agent-tokens.ts';

/**
 * The mark in tokens that a control-plane process makes for itself. It differs from all marks of bindings, which are
 * hashes.
 */
const memberMark = 'member';
const lifetimeMs = 60_000;
/** The tolerated clock skew between control-plane processes. */
const clockSkewMs = 5_000;

/**
 * Returns the key by which a control-plane process authenticates for a cluster that another process leads. Only a
 * process that has read the journal of the cluster can make one.
 */
export function memberToken(clusterId: string, secretsOf: SecretsOf, clock: Clock): string | undefined {
  const secrets = secretsOf(clusterId);
  if (secrets === undefined) return undefined;
  return signAgentToken({ clusterId, bindingMark: memberMark, endMs: clock.nowMs() + lifetimeMs }, secrets);
}

/** Admits other processes of the control plane. */
export function authorizeMembers(secretsOf: SecretsOf, clock: Clock): Authorize {
  return (clusterId, key) => {
    if (!isAgentToken(key)) return false;
    const secrets = secretsOf(clusterId);
    if (secrets === undefined) return undefined;
    const claims = readAgentToken(key, secrets);
    if (claims?.clusterId !== clusterId || claims.bindingMark !== memberMark) return false;
    const leftMs = claims.endMs - clock.nowMs();
    // A token with a longer lifetime was not made by `memberToken`, and would outlive a replaced secret.
    return leftMs > 0 && leftMs <= lifetimeMs + clockSkewMs;
  };
}
