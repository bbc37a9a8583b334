import { defineCheck } from '../check.ts';
import { clusterKinds, type Expiring, livingAgents } from '../diagnostic-snapshot.ts';
import { duration, ending, percent } from '../number-texts.ts';

/** Agents renew their tokens long before, so less remaining time means that the renewal failed. */
const tokenShareMin = 0.1;
/** For tokens without a known issue time. */
const tokenMsMin = 10 * 60_000;

export const expiringTokens = defineCheck({
  name: 'expiring_tokens',
  type: 'security',
  source: 'agent',
  severity: 'high',
  title: 'A token of an agent ends and is not renewed',
  observes: `The end of the tokens that agents hold: less than ${percent(tokenShareMin)} of its time left, or ${duration(tokenMsMin)} where its begin is not known. One that has ended is critical.`,
  explanation: 'With the end of its token the agent loses the control plane or the bucket.',
  fix: 'Look into the log of the agent for why the token could not be renewed: the identity of its platform, the binding of the workload, or the network.',
  kinds: clusterKinds,
  run(snapshot) {
    const { atMs } = snapshot;
    const agents = livingAgents(snapshot);
    if (agents.every(({ tokens }) => tokens === undefined)) return { missing: 'tokens of agents' };
    return agents.flatMap(({ agentId, host, tokens = [] }) =>
      tokens
        .filter((token) => token.expiresMs - atMs < leastMsOf(token))
        .map(({ name, expiresMs }) => {
          const leftMs = expiresMs - atMs;
          return {
            entity: { kind: 'token', name: `${name} of ${agentId}` } as const,
            message: `${name} of ${agentId} at ${host} ${ending(leftMs)}.`,
            severity: leftMs <= 0 ? ('critical' as const) : undefined,
            weight: -leftMs,
          };
        }),
    );
  },
});

function leastMsOf({ issuedMs, expiresMs }: Expiring): number {
  return issuedMs === undefined ? tokenMsMin : tokenShareMin * (expiresMs - issuedMs);
}
