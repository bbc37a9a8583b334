import { defineCheck } from '../check.ts';
import { duration } from '../number-texts.ts';

const unusedMsMin = 90 * 86_400_000;

export const unusedCredentials = defineCheck({
  name: 'unused_credentials',
  type: 'security',
  source: 'agent',
  severity: 'low',
  title: 'Unused credential',
  observes: `Credentials without a login for ${duration(unusedMsMin)}; medium for a superuser.`,
  explanation: 'A leaked credential that has no users is hard to notice.',
  fix: 'Delete the credential.',
  damping: { failAfterRuns: 1, recoverAfterRuns: 1 },
  run({ credentials, atMs }) {
    const known = credentials?.filter(({ lastUsedMs }) => lastUsedMs !== undefined);
    if (known === undefined || (known.length === 0 && credentials!.length > 0)) return { missing: 'logins' };
    return known.flatMap(({ username, isSuperuser, createdMs, lastUsedMs }) => {
      const sinceMs = lastUsedMs ?? createdMs;
      if (atMs - sinceMs < unusedMsMin) return [];
      const what = lastUsedMs === null ? 'was never used; created' : 'was last used';
      return [
        {
          entity: { kind: 'credential', name: username } as const,
          message: `Credential ${username} ${what} ${duration(atMs - sinceMs)} ago.`,
          severity: isSuperuser ? ('medium' as const) : undefined,
          weight: atMs - sinceMs,
          sinceMs,
        },
      ];
    });
  },
});
