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
  title: 'Agent token expires and is not renewed',
  observes: `The expiry of the tokens that agents hold: less than ${percent(tokenShareMin)} of the lifetime left, or ${duration(tokenMsMin)} if the issue time is unknown; critical once expired.`,
  explanation: 'Once the token has expired, the agent loses access to the control plane or the bucket.',
  fix: 'Check the agent log for the renewal error; usual causes are the platform identity, the workload binding or the network.',
  kinds: clusterKinds,
  run(snapshot) {
    const { atMs } = snapshot;
    const agents = livingAgents(snapshot);
    if (agents.every(({ tokens }) => tokens === undefined)) return { missing: 'agent tokens' };
    return agents.flatMap(({ agentId, host, tokens = [] }) =>
      tokens
        .filter((token) => token.expiresMs - atMs < leastMsOf(token))
        .map(({ name, expiresMs }) => {
          const leftMs = expiresMs - atMs;
          return {
            entity: { kind: 'token', name: `${name} of ${agentId}` } as const,
            message: `Token ${name} of agent ${agentId} on ${host} ${ending(leftMs)}.`,
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
