import type { Clock } from '@weir/core';
import type { Authorize } from '../agent-keys.ts';
import {
  isAgentToken,
  readAgentToken,
  type SecretsOf,
  signAgentToken,
} from '../workload-identity/agent-tokens.ts';

/** What tokens say that one control-plane process makes for itself. No binding has such a mark: theirs are hashes. */
const memberMark = 'member';
const lifetimeMs = 60_000;
/** How far the clocks of two control-plane processes may be apart. */
const clockSkewMs = 5_000;

/**
 * The key by which a process of the control plane enters a cluster that another process leads. Only a process that has
 * read the journal of the cluster can make one.
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
    // A token that says it lives longer was not made by `memberToken`, and would outlive a secret that was replaced.
    return leftMs > 0 && leftMs <= lifetimeMs + clockSkewMs;
  };
}
