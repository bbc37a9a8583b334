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
  title: 'One agent works much more than the others',
  observes: `The load of every agent with the same group and roles: at least ${percent(busyLoadMin)}, and ${timesTheOthers} times the average of the others.`,
  explanation:
    'Clients of the busy agent wait while others idle. Usually few clients carry most of the traffic, or all were started against one address and stayed there.',
  fix: 'Let clients bootstrap from an address that stands for all agents, spread the partitions of busy topics, and try another -defaultPartitionAssignmentStrategy such as equal_spread.',
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
            message: `Agent ${agent.agentId} at ${agent.host} has a load of ${percent(agent.cpuLoad)}, the others ${percent(others)} on average.`,
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
