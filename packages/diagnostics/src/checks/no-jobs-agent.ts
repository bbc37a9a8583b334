import { defineCheck } from '../check.ts';
import { livingAgents } from '../diagnostic-snapshot.ts';
import { counted } from '../number-texts.ts';

export const noJobsAgent = defineCheck({
  name: 'no_jobs_agent',
  type: 'agents',
  source: 'control_plane',
  severity: 'high',
  title: 'No agent has the role jobs',
  observes: 'The roles of the agents that run.',
  explanation:
    'An agent with the role jobs merges small files into large ones and deletes those that nothing needs any more, publishes the events of the control plane and the metrics of the whole cluster, and writes the columns that make searches of events fast. Without one the bucket grows without end, reads of old records need more and more requests, these events and metrics are missing, and searches read more.',
  fix: 'Give at least one agent the role jobs with -roles; two in different zones are better.',
  kinds: ['kafka', 'data_lake'],
  run(snapshot) {
    const agents = livingAgents(snapshot);
    // A cluster without any agent is another diagnostic.
    if (agents.length === 0 || agents.some(({ roles }) => roles.includes('jobs'))) return [];
    const roles = [...new Set(agents.flatMap((agent) => agent.roles))].sort().join(', ') || 'none';
    return [
      {
        entity: { kind: 'cluster', name: snapshot.cluster.clusterId },
        message: `${counted(agents.length, 'agent runs', 'agents run')}, with these roles: ${roles}.`,
        weight: agents.length,
      },
    ];
  },
});
