import type { AgentDescription } from '@weir/cluster';
import { combine, hashText } from './hash.ts';

/** The partitions that need leaders. */
export interface TopicToPlace {
  readonly topicId: string;
  readonly partitionCount: number;
  /** Hot partitions, and how many agents each of them needs. */
  readonly hot?: ReadonlyMap<number, number> | undefined;
  /** Ids of overloaded agents. */
  readonly overloaded?: ReadonlySet<string>;
}

/** The client that asks. A client has the same key on every agent. */
export interface PlacementClient {
  readonly key: string;
}

/**
 * Chooses, for every partition of a topic, the agent that this client sees as its leader; any agent could serve it.
 * `agents` is not empty, and the result does not depend on its order.
 */
export type AssignmentStrategy = (
  topic: TopicToPlace,
  agents: readonly AgentDescription[],
  client: PlacementClient,
) => readonly AgentDescription[];

/** By how much an agent may exceed its fair share of a topic's load. */
const loadFactor = 1.25;
/** The part of that share that an overloaded agent takes. */
const overloadedShare = 0.5;
/** Each agent that a hot partition needs spends half of its budget on it. */
const shareOfHeat = 0.5;

/**
 * The consistent strategies rank agents for each partition by a hash of both (rendezvous hashing): when an agent
 * leaves, only its own partitions move, and when it returns they return. A partition has the same leader for all
 * clients, so that few agents write it and the control plane sees few batches.
 */
export const assignmentStrategies = {
  /**
   * Like `consistent_spread`, but a hot partition is shared by the first few agents of its ranking; each client uses
   * one.
   */
  consistent_random_jump: (topic, agents, client) => {
    const topicHash = hashText(topic.topicId);
    const candidates = byId(agents);
    return perPartition(topic, (partition) =>
      topic.hot?.has(partition) === true
        ? leaderOfHot(topic, partition, agents, client)
        : best(candidates, combine(topicHash, partition)),
    );
  },

  /** One agent for all requests of a client; clients are spread over the agents by a hash of their key. */
  single_agent: (topic, agents, client) => {
    const agent = best(byId(agents), hashText(client.key));
    return perPartition(topic, () => agent);
  },

  consistent_spread: (topic, agents) => {
    const topicHash = hashText(topic.topicId);
    const candidates = byId(agents);
    return perPartition(topic, (partition) => best(candidates, combine(topicHash, partition)));
  },

  /**
   * No agent has more than 1.25 times its share of a topic; a partition whose first agents are full takes the next one
   * of its ranking. A partition counts as one, a hot partition as the agents that it needs, and the share of an
   * overloaded agent is half of the others'.
   */
  consistent_spread_bounded_load: (topic, agents) => {
    const topicHash = hashText(topic.topicId);
    const candidates = byId(agents);
    const budgets = new LoadBudgets(topic, agents);
    const place = (partition: number) =>
      budgets.charge(ranked(candidates, combine(topicHash, partition)), partition);
    // Hot partitions choose first, since they need the most room.
    const hot = new Map(
      [...(topic.hot?.keys() ?? [])].sort((a, b) => a - b).map((partition) => [partition, place(partition)]),
    );
    return perPartition(topic, (partition) => hot.get(partition) ?? place(partition));
  },

  /** Hashes addresses instead of agent ids, so that an agent that restarts under its host name keeps its partitions. */
  consistent_pods: (topic, agents) => {
    const topicHash = hashText(topic.topicId);
    const candidates = byAddress(agents);
    return perPartition(topic, (partition) => best(candidates, combine(topicHash, partition)));
  },

  /** Assigns the partitions of each topic round robin, beginning with the first agent. */
  equal_spread: (topic, agents) => {
    const dealt = sortedById(agents);
    return perPartition(topic, (partition) => dealt[partition % dealt.length]!);
  },

  /**
   * Round robin, beginning with an agent that depends on the topic, so that small topics do not all use the first
   * agent.
   */
  equal_spread_v2: (topic, agents) => {
    const dealt = sortedById(agents);
    const first = hashText(topic.topicId) % dealt.length;
    return perPartition(topic, (partition) => dealt[(first + partition) % dealt.length]!);
  },
} as const satisfies Readonly<Record<string, AssignmentStrategy>>;

export type PartitionAssignmentStrategy = keyof typeof assignmentStrategies;

export function isAssignmentStrategy(text: string): text is PartitionAssignmentStrategy {
  return Object.hasOwn(assignmentStrategies, text);
}

/**
 * Returns the leader of a hot partition for one client: one of the first agents of its ranking, overloaded agents last.
 */
export function leaderOfHot(
  { topicId, hot, overloaded }: Pick<TopicToPlace, 'topicId' | 'hot' | 'overloaded'>,
  partition: number,
  agents: readonly AgentDescription[],
  client: PlacementClient,
): AgentDescription {
  const ranking = ranked(byId(agents), combine(hashText(topicId), partition));
  const isBusy = ({ agentId }: AgentDescription) => overloaded?.has(agentId) === true;
  const order = [...ranking.filter((agent) => !isBusy(agent)), ...ranking.filter(isBusy)];
  return order[combine(hashText(client.key), partition) % Math.min(hot?.get(partition) ?? 1, order.length)]!;
}

/** Returns the same agent for a key on every agent that knows the same ones. */
export function agentOfKey(key: string, agents: readonly AgentDescription[]): AgentDescription {
  return best(byId(agents), hashText(key));
}

/** The remaining budget of each agent for a topic. */
class LoadBudgets {
  readonly #topic: TopicToPlace;
  readonly #hotWeight: number;
  readonly #left: Map<string, number>;

  constructor(topic: TopicToPlace, agents: readonly AgentDescription[]) {
    const { hot = new Map<number, number>(), overloaded } = topic;
    this.#topic = topic;
    this.#hotWeight = Math.max(1, (shareOfHeat * topic.partitionCount) / agents.length);
    let weight = topic.partitionCount;
    for (const partition of hot.keys()) weight += this.#weightOf(partition) - 1;
    const shares = agents.map(({ agentId }) => (overloaded?.has(agentId) === true ? overloadedShare : 1));
    const shareSum = shares.reduce((sum, share) => sum + share, 0);
    this.#left = new Map(
      agents.map(({ agentId }, index) => [
        agentId,
        Math.ceil((loadFactor * weight * shares[index]!) / shareSum),
      ]),
    );
  }

  /** Returns the first agent with room for the partition, or the one with most room, and reduces its budget. */
  charge(ranking: readonly AgentDescription[], partition: number): AgentDescription {
    const weight = this.#weightOf(partition);
    const leftOf = ({ agentId }: AgentDescription) => this.#left.get(agentId)!;
    const agent =
      ranking.find((candidate) => leftOf(candidate) >= weight) ??
      ranking.reduce((roomiest, candidate) => (leftOf(candidate) > leftOf(roomiest) ? candidate : roomiest));
    this.#left.set(agent.agentId, leftOf(agent) - weight);
    return agent;
  }

  #weightOf(partition: number): number {
    const heat = this.#topic.hot?.get(partition);
    return heat === undefined ? 1 : heat * this.#hotWeight;
  }
}

interface Candidate {
  readonly agent: AgentDescription;
  readonly hash: number;
}

const byId = oncePerList((agents) => hashed(agents, ({ agentId }) => agentId));
const byAddress = oncePerList((agents) => hashed(agents, ({ host, kafkaPort }) => `${host}:${kafkaPort}`));
const sortedById = oncePerList(sorted);

function hashed(
  agents: readonly AgentDescription[],
  keyOf: (agent: AgentDescription) => string,
): readonly Candidate[] {
  return sorted(agents).map((agent) => ({ agent, hash: hashText(keyOf(agent)) }));
}

function sorted(agents: readonly AgentDescription[]): readonly AgentDescription[] {
  return [...agents].sort((a, b) => (a.agentId < b.agentId ? -1 : 1));
}

/** Caches a result per list: one request about many topics passes the same list each time. */
function oncePerList<Result>(
  compute: (agents: readonly AgentDescription[]) => Result,
): (agents: readonly AgentDescription[]) => Result {
  const computed = new WeakMap<readonly AgentDescription[], Result>();
  return (agents) => {
    const known = computed.get(agents);
    if (known !== undefined) return known;
    const result = compute(agents);
    computed.set(agents, result);
    return result;
  };
}

function best(candidates: readonly Candidate[], hash: number): AgentDescription {
  let found = candidates[0]!;
  let foundScore = -1;
  for (const candidate of candidates) {
    const score = combine(hash, candidate.hash);
    if (score > foundScore) {
      found = candidate;
      foundScore = score;
    }
  }
  return found.agent;
}

/** Best first. */
function ranked(candidates: readonly Candidate[], hash: number): readonly AgentDescription[] {
  return candidates
    .map(({ agent, hash: agentHash }) => ({ agent, score: combine(hash, agentHash) }))
    .sort((a, b) => b.score - a.score)
    .map(({ agent }) => agent);
}

function perPartition(
  { partitionCount }: TopicToPlace,
  leaderOf: (partition: number) => AgentDescription,
): readonly AgentDescription[] {
  return Array.from({ length: partitionCount }, (_, partition) => leaderOf(partition));
}
