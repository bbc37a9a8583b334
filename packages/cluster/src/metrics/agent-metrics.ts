import { published } from './published-metric.ts';

/** Labels of the described agent, which may run another release than the publishing process. */
const byAgent = ['agent', 'group', 'zone', 'agent_version'] as const;

export const agentHeartbeat = published(
  'agent_heartbeat',
  [...byAgent, 'roles'],
  'max',
  'Always 1: an agent that sent a heartbeat within the last seconds.',
);

export const agentCpu = published(
  'agent_cpu',
  byAgent,
  'max',
  'How much of its processors an agent uses, from 0 to 1, as it says.',
);

export const agentCpuCount = published(
  'agent_num_vcpus',
  byAgent,
  'max',
  'Processors that an agent may use.',
);

export const agentMetrics = [agentHeartbeat, agentCpu, agentCpuCount];
