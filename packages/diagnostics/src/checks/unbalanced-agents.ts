import { defineCheck } from '../check.ts';
import { type AgentFacts, livingAgents } from '../diagnostic-snapshot.ts';
import { percent } from '../number-texts.ts';

/** An agent with less load is not worth reporting. */
const busyLoadMin = 0.5;
const timesTheOthers = 2;

export const unbalancedAgents = defineCheck({
  name: 'unbalanced_agents',
  type: 'agents',
  source: 'control_plane',
  severity: 'medium',
  title: 'Unbalanced agents',
  observes: `The CPU utilization of each agent, among agents with the same group and roles: at least ${percent(busyLoadMin)}, and ${timesTheOthers} times the average of the others.`,
  explanation:
    'Clients of the busy agent wait while other agents are idle. Usually a few clients produce most of the traffic, or all clients bootstrapped from one address.',
  fix: 'Bootstrap clients from an address that resolves to all agents, add partitions to busy topics, or try another -defaultPartitionAssignmentStrategy such as equal_spread.',
  damping: { failAfterRuns: 10, recoverAfterRuns: 5 },
  run(snapshot) {
    const alike = Map.groupBy(livingAgents(snapshot), ({ group, roles }) => `${group} ${[...roles].sort()}`);
    return [...alike.values()].flatMap((agents) =>
      agents.flatMap((agent) => {
        const others = averageLoad(agents.filter((other) => other !== agent));
        if (others === undefined || agent.cpuLoad < busyLoadMin) return [];
        if (agent.cpuLoad < timesTheOthers * others) return [];
        return [
          {
            entity: { kind: 'agent', name: agent.agentId } as const,
            message: `Agent ${agent.agentId} on ${agent.host}: CPU utilization ${percent(agent.cpuLoad)}, other agents ${percent(others)} on average.`,
            weight: agent.cpuLoad - others,
          },
        ];
      }),
    );
  },
});

function averageLoad(agents: readonly AgentFacts[]): number | undefined {
  if (agents.length === 0) return undefined;
  return agents.reduce((sum, { cpuLoad }) => sum + cpuLoad, 0) / agents.length;
}
