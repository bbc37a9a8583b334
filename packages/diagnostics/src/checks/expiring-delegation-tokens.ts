import { defineCheck } from '../check.ts';
import { duration, ending } from '../number-texts.ts';

/** Clients renew a token every day, so less remaining time means that the renewal failed, or that none is possible. */
const tokenMsMin = 2 * 3_600_000;

export const expiringDelegationTokens = defineCheck({
  name: 'expiring_delegation_tokens',
  type: 'security',
  source: 'control_plane',
  severity: 'medium',
  title: 'Delegation token expires',
  observes: `Delegation tokens that expire within ${duration(tokenMsMin)} and lived for longer than that.`,
  explanation: 'Clients that log in with the token are refused once it has expired.',
  fix: 'Renew the token, or make another one if it has reached the end of its life.',
  damping: { failAfterRuns: 1, recoverAfterRuns: 1 },
  run({ delegationTokens, atMs }) {
    if (delegationTokens === undefined) return { missing: 'delegation tokens' };
    return delegationTokens
      .filter(({ expiresMs, issuedMs }) => expiresMs - atMs < tokenMsMin && expiresMs - issuedMs > tokenMsMin)
      .map(({ tokenId, owner, expiresMs, endsMs }) => {
        const what = expiresMs >= endsMs ? ' and cannot be renewed' : '';
        return {
          entity: { kind: 'token', name: tokenId } as const,
          message: `Delegation token ${tokenId} of ${owner} ${ending(expiresMs - atMs)}${what}.`,
          weight: atMs - expiresMs,
        };
      });
  },
});
