import { defineCheck } from '../check.ts';
import { clusterKinds, livingAgents } from '../diagnostic-snapshot.ts';
import { count } from '../number-texts.ts';

export const mixedReleases = defineCheck({
  name: 'mixed_releases',
  type: 'agents',
  source: 'control_plane',
  severity: 'low',
  title: 'Agents run different releases',
  observes: 'The releases of the agents that run. An upgrade may take half an hour before it counts.',
  explanation:
    'Releases work together, so that agents can be upgraded one by one. When it stays like this an upgrade was left half done, and clients see different behaviour from agent to agent.',
  fix: 'Finish the upgrade, or go back, so that all agents run the same release.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 30, recoverAfterRuns: 1 },
  run(snapshot) {
    const countByRelease = new Map<string, number>();
    for (const { release } of livingAgents(snapshot)) {
      countByRelease.set(release, (countByRelease.get(release) ?? 0) + 1);
    }
    if (countByRelease.size < 2) return [];
    const parts = [...countByRelease].sort().map(([release, number]) => `${count(number)} run ${release}`);
    return [
      {
        entity: { kind: 'cluster', name: snapshot.cluster.clusterId },
        message: `Of the agents ${parts.join(', ')}.`,
        weight: countByRelease.size,
      },
    ];
  },
});
