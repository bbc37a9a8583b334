import { defineCheck } from '../check.ts';
import { livingAgents } from '../diagnostic-snapshot.ts';
import { counted } from '../number-texts.ts';

export const noJobsAgent = defineCheck({
  name: 'no_jobs_agent',
  type: 'agents',
  source: 'control_plane',
  severity: 'high',
  title: 'No agent has the jobs role',
  observes: 'The roles of the running agents.',
  explanation:
    'Agents with the jobs role merge small files, delete unreferenced files, publish control plane events and cluster metrics, and build the columns that speed up event searches. Without one the bucket grows without limit, reads of old records need more and more requests, these events and metrics are missing, and event searches are slower.',
  fix: 'Add jobs to -roles of at least one agent, preferably of two in different zones.',
  kinds: ['kafka', 'data_lake'],
  run(snapshot) {
    const agents = livingAgents(snapshot);
    // A cluster without any agent is another diagnostic.
    if (agents.length === 0 || agents.some(({ roles }) => roles.includes('jobs'))) return [];
    const roles = [...new Set(agents.flatMap((agent) => agent.roles))].sort().join(', ') || 'none';
    return [
      {
        entity: { kind: 'cluster', name: snapshot.cluster.clusterId },
        message: `${counted(agents.length, 'agent runs', 'agents run')}; roles: ${roles}.`,
        weight: agents.length,
      },
    ];
  },
});
