import { defineCheck } from '../check.ts';
import { clusterKinds, livingAgents } from '../diagnostic-snapshot.ts';
import { count } from '../number-texts.ts';

export const mixedReleases = defineCheck({
  name: 'mixed_releases',
  type: 'agents',
  source: 'control_plane',
  severity: 'low',
  title: 'Agents run different releases',
  observes:
    'The releases of the running agents. A rolling upgrade may take half an hour before it is reported.',
  explanation:
    'Mixed releases are supported during a rolling upgrade. A lasting mix is an unfinished upgrade: agents behave differently from each other.',
  fix: 'Finish the upgrade or roll it back, so that all agents run the same release.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 30, recoverAfterRuns: 1 },
  run(snapshot) {
    const countByRelease = new Map<string, number>();
    for (const { release } of livingAgents(snapshot)) {
      countByRelease.set(release, (countByRelease.get(release) ?? 0) + 1);
    }
    if (countByRelease.size < 2) return [];
    const parts = [...countByRelease].sort().map(([release, number]) => `${count(number)} on ${release}`);
    return [
      {
        entity: { kind: 'cluster', name: snapshot.cluster.clusterId },
        message: `Agents by release: ${parts.join(', ')}.`,
        weight: countByRelease.size,
      },
    ];
  },
});
