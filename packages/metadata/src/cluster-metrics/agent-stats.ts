import type { AgentDescription } from '../cluster/port.ts';
import { agentCpu, agentCpuCount, agentHeartbeat } from './agent-metrics.ts';
import type { CombinedFigures } from './combined-stats.ts';

/** What agents say of themselves. */
export function addAgentFigures(agents: readonly AgentDescription[], figures: CombinedFigures): void {
  for (const { agentId, group, zone, release, roles, cpuLoad, cpuCount } of agents) {
    const labels = { agent: agentId, group, zone, agent_version: release };
    figures.add(agentHeartbeat, { ...labels, roles: roles.toSorted().join() }, 1);
    figures.add(agentCpu, labels, cpuLoad);
    figures.add(agentCpuCount, labels, cpuCount);
  }
}
