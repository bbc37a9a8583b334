import type { AgentDescription } from '../src/calls/agents/agent-calls.ts';

/** An agent as it describes itself in heartbeats; a test states what it is about. */
export function agentDescription(
  agentId: string,
  overrides: Partial<AgentDescription> = {},
): AgentDescription {
  return {
    agentId,
    nodeId: 1,
    host: `${agentId}.test`,
    kafkaPort: 9092,
    internalUrl: `http://${agentId}.test`,
    zone: 'a',
    group: '',
    roles: ['proxy'],
    release: 'v830',
    cpuCount: 1,
    cpuLoad: 0,
    ...overrides,
  };
}
