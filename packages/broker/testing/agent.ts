import type { AgentDescription } from '@weir/cluster';
import { release } from '@weir/core';
import { claimedNodeId } from '../src/placement/node-id.ts';

/** Returns the description of a live agent; tests override what matters to them. */
export function testAgent(agentId: string, differences: Partial<AgentDescription> = {}): AgentDescription {
  return {
    agentId,
    nodeId: claimedNodeId(agentId),
    host: `${agentId}.test`,
    kafkaPort: 9092,
    internalUrl: `http://${agentId}.test:8080`,
    zone: 'zone-a',
    group: '',
    roles: ['proxy', 'jobs'],
    release,
    cpuCount: 2,
    cpuLoad: 0,
    ...differences,
  };
}
