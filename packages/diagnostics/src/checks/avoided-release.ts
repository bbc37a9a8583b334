import { release as ownRelease } from '@weir/core';
import { type AvoidedReleases, reasonsToAvoid } from '../avoided-releases.ts';
import { defineCheck } from '../check.ts';
import { clusterKinds, livingAgents } from '../diagnostic-snapshot.ts';
import { counted, some } from '../number-texts.ts';

export const avoidedRelease = defineCheck({
  name: 'avoided_release',
  type: 'agents',
  source: 'control_plane',
  severity: 'high',
  title: 'Agents run a release with known defects',
  observes: 'The release of every running agent, against the list of releases with known defects.',
  explanation: 'The release has a known defect that can lose data or stop agents from working.',
  fix: `Upgrade these agents, preferably to ${ownRelease}.`,
  kinds: clusterKinds,
  damping: { failAfterRuns: 1, recoverAfterRuns: 1 },
  run(snapshot) {
    const agentsByRelease = Map.groupBy(livingAgents(snapshot), ({ release }) => release);
    return [...agentsByRelease].flatMap(([release, agents]) => {
      const reasons = reasonsToAvoid(release);
      if (reasons.length === 0) return [];
      const names = some(agents.map(({ agentId }) => agentId));
      return [
        {
          entity: { kind: 'release', name: release } as const,
          message: `${counted(agents.length, 'agent')} on ${release}${inWords(reasons)}: ${names}.`,
          weight: agents.length,
        },
      ];
    });
  },
});

/** `, which fails to start (use v744 or later)`; of several defects the last fix decides. */
function inWords(reasons: readonly AvoidedReleases[]): string {
  const known = reasons.flatMap(({ reason }) => reason ?? []);
  const fixes = reasons.flatMap(({ fixedIn }) => fixedIn ?? []);
  const fix = fixes.length === reasons.length ? `v${Math.max(...fixes)} or later` : ownRelease;
  return `${known.length === 0 ? '' : ` (known defect: ${known.join('; ')})`}, use ${fix}`;
}
