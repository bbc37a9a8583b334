import { defineCheck } from '../check.ts';
import { clusterKinds, livingAgents } from '../diagnostic-snapshot.ts';
import { counted } from '../number-texts.ts';

export const noAgents = defineCheck({
  name: 'no_agents',
  type: 'agents',
  source: 'control_plane',
  severity: 'critical',
  title: 'No agent runs',
  observes: 'Whether any agent of a cluster that has topics sends heartbeats.',
  explanation: 'Without agents clients cannot read or write; written records are safe in the bucket.',
  fix: 'Start agents. If they run, look into their logs: they need a way to the control plane and an agent key that is valid.',
  kinds: clusterKinds,
  run(snapshot) {
    const { cluster } = snapshot;
    if (cluster.topicCount === 0 || livingAgents(snapshot).length > 0) return [];
    return [
      {
        entity: { kind: 'cluster', name: cluster.clusterId },
        message: `The cluster has ${counted(cluster.topicCount, 'topic')} and no agent.`,
        weight: cluster.topicCount,
      },
    ];
  },
});
