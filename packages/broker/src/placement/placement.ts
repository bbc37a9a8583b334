import type { AgentDescription, TopicDescription } from '@weir/cluster';
import { spelledFor } from './advertised-host.ts';
import type { ClientFeatures } from './client-features.ts';
import { LeaderTable } from './leader-table.ts';
import { type Loads, noLoads } from './measured-loads.ts';
import { SteadyAgents } from './steady-agents.ts';
import {
  agentOfKey,
  assignmentStrategies,
  leaderOfHot,
  type PartitionAssignmentStrategy,
} from './strategies.ts';

/** The agents as one client sees them. */
export interface Placement {
  readonly agents: readonly AgentDescription[];
  /** One of the agents; every agent can act as controller. */
  readonly controller: AgentDescription;
  /**
   * Returns the agent that coordinates the transactions of an id: the same for every agent that is asked, so that a
   * producer uses one connection for them.
   */
  coordinatorOf(transactionalId: string): AgentDescription;
  /** One agent per partition. */
  leadersOf(topic: TopicDescription): readonly AgentDescription[];
  /**
   * Returns the node ids of the leader and its neighbours: as many as the replication factor, and at most one per
   * agent.
   */
  replicasOf(leader: AgentDescription, replicationFactor: number): readonly number[];
  hostOf(agent: AgentDescription): string;
}

export interface PlacementInputs {
  readonly features: ClientFeatures;
  /**
   * The same for all connections of a client and different between clients, as far as the agent can distinguish them.
   */
  readonly clientKey: string;
  readonly self: AgentDescription;
  readonly agents: readonly AgentDescription[];
  readonly defaultStrategy: PartitionAssignmentStrategy;
}

/**
 * Returns a function that computes the placement for each client and caches intermediate results until agents or topics
 * change.
 */
export function createPlacements(loads: Loads = noLoads): (inputs: PlacementInputs) => Placement {
  const table = new LeaderTable();
  const known = new SteadyAgents(() => table.clear());
  return (inputs) => {
    const { features, self } = inputs;
    const agents = known.candidates(features, self, inputs.agents);
    const strategy = features.strategy ?? inputs.defaultStrategy;
    const replicas = new Map<string, readonly number[]>();
    return {
      agents,
      controller: agents.find(({ agentId }) => agentId === self.agentId) ?? agents[0]!,
      coordinatorOf: (transactionalId) => agentOfKey(transactionalId, agents),
      leadersOf: leadersBy(strategy, agents, inputs.clientKey, table, loads),
      replicasOf(leader, replicationFactor) {
        const count = Math.min(replicationFactor, agents.length);
        const key = `${leader.nodeId} ${count}`;
        let found = replicas.get(key);
        if (found === undefined) {
          found = neighbours(agents, leader, count);
          replicas.set(key, found);
        }
        return found;
      },
      hostOf: (agent) =>
        features.hostOverride === undefined ? agent.host : spelledFor(features.hostOverride, agent.nodeId),
    };
  };
}

function leadersBy(
  strategy: PartitionAssignmentStrategy,
  agents: readonly AgentDescription[],
  clientKey: string,
  table: LeaderTable,
  loads: Loads,
): Placement['leadersOf'] {
  if (strategy !== 'single_agent' && agents.length > 1) {
    return (topic) => {
      const leaders = table.leadersOf(topic, agents, strategy, loads);
      const hot = strategy === 'consistent_random_jump' ? loads.hotOf(topic.topicId) : undefined;
      if (hot === undefined) return leaders;
      // Hot partitions differ by client; the others are the same for all.
      const { overloaded } = loads;
      const toPlace = { topicId: topic.topicId, hot, overloaded };
      return leaders.map((leader, partition) =>
        hot.has(partition) ? leaderOfHot(toPlace, partition, agents, { key: clientKey }) : leader,
      );
    };
  }
  // The same agent for every partition of every topic, computed once.
  const anyTopic = { topicId: '', partitionCount: 1 };
  const [agent] = assignmentStrategies.single_agent(anyTopic, agents, { key: clientKey });
  return ({ partitionCount }) => new Array<AgentDescription>(partitionCount).fill(agent!);
}

function neighbours(
  agents: readonly AgentDescription[],
  leader: AgentDescription,
  count: number,
): readonly number[] {
  const at = agents.indexOf(leader);
  return Array.from({ length: count }, (_, step) => agents[(at + step) % agents.length]!.nodeId);
}
