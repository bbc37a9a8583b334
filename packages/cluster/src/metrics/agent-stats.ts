import type { AgentDescription } from '../calls/agents/agent-calls.ts';
import { agentCpu, agentCpuCount, agentHeartbeat } from './agent-metrics.ts';
import type { CombinedStats } from './combined-stats.ts';

/** Adds the stats from agents' own descriptions. */
export function addAgentStats(agents: readonly AgentDescription[], stats: CombinedStats): void {
  for (const { agentId, group, zone, release, roles, cpuLoad, cpuCount } of agents) {
    const labels = { agent: agentId, group, zone, agent_version: release };
    stats.add(agentHeartbeat, { ...labels, roles: roles.toSorted().join() }, 1);
    stats.add(agentCpu, labels, cpuLoad);
    stats.add(agentCpuCount, labels, cpuCount);
  }
}
