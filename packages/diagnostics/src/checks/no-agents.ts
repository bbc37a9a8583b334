import { defineCheck } from '../check.ts';
import { clusterKinds, livingAgents } from '../diagnostic-snapshot.ts';
import { counted } from '../number-texts.ts';

export const noAgents = defineCheck({
  name: 'no_agents',
  type: 'agents',
  source: 'control_plane',
  severity: 'critical',
  title: 'No agents are running',
  observes: 'Whether a cluster with topics has an agent that sends heartbeats.',
  explanation: 'Without agents clients cannot produce or consume. Committed records are safe in the bucket.',
  fix: 'Start agents. If they are running, check their logs: they need a network route to the control plane and a valid agent key.',
  kinds: clusterKinds,
  run(snapshot) {
    const { cluster } = snapshot;
    if (cluster.topicCount === 0 || livingAgents(snapshot).length > 0) return [];
    return [
      {
        entity: { kind: 'cluster', name: cluster.clusterId },
        message: `The cluster has ${counted(cluster.topicCount, 'topic')} and no running agent.`,
        weight: cluster.topicCount,
      },
    ];
  },
});
