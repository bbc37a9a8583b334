import { defineCheck } from '../check.ts';
import { clusterKinds, livingAgents } from '../diagnostic-snapshot.ts';
import { counted, percent } from '../number-texts.ts';

export const loadMax = 0.9;

export const overloadedAgents = defineCheck({
  name: 'overloaded_agents',
  type: 'agents',
  source: 'control_plane',
  severity: 'high',
  title: 'An agent has no processor time left',
  observes: `The load of each agent, against ${percent(loadMax)}.`,
  explanation:
    'Requests wait for their turn, and from -highCPUBackpressureThresholdPercent on the agent slows its clients down on purpose.',
  fix: 'Start more agents, give them more processors, or move pipelines and jobs to agents of their own.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 5, recoverAfterRuns: 3 },
  run(snapshot) {
    return livingAgents(snapshot)
      .filter(({ cpuLoad }) => cpuLoad >= loadMax)
      .map(({ agentId, host, cpuLoad, cpuCount }) => ({
        entity: { kind: 'agent', name: agentId },
        message: `Agent ${agentId} at ${host} has a load of ${percent(cpuLoad)} on ${counted(cpuCount, 'processor')}.`,
        weight: cpuLoad,
      }));
  },
});
