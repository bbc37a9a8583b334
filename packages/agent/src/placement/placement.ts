import type { AgentDescription, TopicDescription } from '@weir/metadata';
import { spelledFor } from './advertised-host.ts';
import { candidatesFor } from './candidates.ts';
import type { ClientFeatures } from './client-features.ts';
import { assignmentStrategies, type PartitionAssignmentStrategy } from './strategies.ts';

/** What one client is shown of the agents. */
export interface Placement {
  readonly agents: readonly AgentDescription[];
  /** An agent among them; every agent does what a controller does. */
  readonly controller: AgentDescription;
  /** One agent per partition. */
  leadersOf(topic: TopicDescription): readonly AgentDescription[];
  /** Three node ids, as many as a replication factor of 3 wants to see: the leader and its neighbours. */
  replicasOf(leader: AgentDescription): readonly number[];
  hostOf(agent: AgentDescription): string;
}

export interface PlacementInputs {
  readonly features: ClientFeatures;
  /** The same for all connections of a client and different between clients, as far as can be told. */
  readonly clientKey: string;
  readonly self: AgentDescription;
  readonly agents: readonly AgentDescription[];
  readonly defaultStrategy: PartitionAssignmentStrategy;
}

export const replicationFactor = 3;

export function placementFor(inputs: PlacementInputs): Placement {
  const { features, self } = inputs;
  const agents = candidatesFor(features, self, inputs.agents);
  const assign = assignmentStrategies[features.strategy ?? inputs.defaultStrategy];
  const client = { key: inputs.clientKey };
  const replicas = new Map<number, readonly number[]>();
  return {
    agents,
    controller: agents.find(({ agentId }) => agentId === self.agentId) ?? agents[0]!,
    leadersOf: (topic) => assign(topic, agents, client),
    replicasOf(leader) {
      let found = replicas.get(leader.nodeId);
      if (found === undefined) {
        found = neighbours(agents, leader);
        replicas.set(leader.nodeId, found);
      }
      return found;
    },
    hostOf: (agent) =>
      features.hostOverride === undefined ? agent.host : spelledFor(features.hostOverride, agent.nodeId),
  };
}

/** With fewer agents than replicas the leader stands for the missing ones, so that tools read the factor they expect. */
function neighbours(agents: readonly AgentDescription[], leader: AgentDescription): readonly number[] {
  const at = agents.indexOf(leader);
  return Array.from({ length: replicationFactor }, (_, step) =>
    step < agents.length ? agents[(at + step) % agents.length]!.nodeId : leader.nodeId,
  );
}
