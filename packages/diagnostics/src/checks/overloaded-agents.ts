import { defineCheck } from '../check.ts';
import { clusterKinds, livingAgents } from '../diagnostic-snapshot.ts';
import { counted, percent } from '../number-texts.ts';

export const loadMax = 0.9;

export const overloadedAgents = defineCheck({
  name: 'overloaded_agents',
  type: 'agents',
  source: 'control_plane',
  severity: 'high',
  title: 'Agent CPU saturated',
  observes: `The CPU utilization of each agent, against ${percent(loadMax)}.`,
  explanation:
    'Requests queue, and from -highCPUBackpressureThresholdPercent the agent throttles its clients.',
  fix: 'Add agents, give them more CPUs, or move pipelines and jobs to dedicated agents.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 5, recoverAfterRuns: 3 },
  run(snapshot) {
    return livingAgents(snapshot)
      .filter(({ cpuLoad }) => cpuLoad >= loadMax)
      .map(({ agentId, host, cpuLoad, cpuCount }) => ({
        entity: { kind: 'agent', name: agentId },
        message: `Agent ${agentId} on ${host}: CPU utilization ${percent(cpuLoad)} of ${counted(cpuCount, 'CPU')}.`,
        weight: cpuLoad,
      }));
  },
});
