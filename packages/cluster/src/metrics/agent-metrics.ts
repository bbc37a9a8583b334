import { published } from './published-metric.ts';

/** Labels of the described agent, which may run another release than the publishing process. */
const byAgent = ['agent', 'group', 'zone', 'agent_version'] as const;

export const agentHeartbeat = published(
  'agent_heartbeat',
  [...byAgent, 'roles'],
  'max',
  'Always 1, for each agent with a recent heartbeat.',
);

export const agentCpu = published(
  'agent_cpu',
  byAgent,
  'max',
  'CPU load of an agent, from 0 to 1, as it reports it.',
);

export const agentCpuCount = published('agent_num_vcpus', byAgent, 'max', 'CPUs available to an agent.');

export const agentMetrics = [agentHeartbeat, agentCpu, agentCpuCount];
