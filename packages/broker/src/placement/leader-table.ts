import type { AgentDescription, TopicDescription } from '@weir/cluster';
import { brokerLimits } from '../limits.ts';
import { type Loads, noLoads } from './measured-loads.ts';
import { assignmentStrategies, type PartitionAssignmentStrategy } from './strategies.ts';

/** The leaders of one topic, as indexes into the list of agents. */
interface Placed {
  readonly partitionCount: number;
  /** The loads that it was computed from. */
  readonly hot: ReadonlyMap<number, number> | undefined;
  readonly overloaded: ReadonlySet<string>;
  readonly leaders: Uint16Array;
}

/** Weight of a topic in addition to its partitions, so that many small topics count too. */
const topicWeight = 64;

/**
 * Cache of computed leaders. Ranking agents for every partition of a large cluster takes a tenth of a second, with
 * bounded loads more than a second, and every client asks every few minutes.
 *
 * A table is valid for one list of agents: when agents come or go, it is dropped with the list. A topic that grew, or
 * whose load changed under a strategy that depends on load, is computed again. Beyond the limit the topics that were
 * placed first are dropped.
 */
export class LeaderTable {
  readonly #weightMax: number;
  /** One per list of agents and strategy; topics by id. */
  readonly #tables = new Map<readonly AgentDescription[], Map<string, Map<string, Placed>>>();
  #weight = 0;

  constructor(weightMax: number = brokerLimits.placedPartitionsMax) {
    this.#weightMax = weightMax;
  }

  /** Cached partitions, plus a surcharge for each topic. */
  get weight(): number {
    return this.#weight;
  }

  /** `agents` must be the same list object while its content is unchanged. */
  leadersOf(
    topic: TopicDescription,
    agents: readonly AgentDescription[],
    strategy: Exclude<PartitionAssignmentStrategy, 'single_agent'>,
    loads: Loads = noLoads,
  ): readonly AgentDescription[] {
    const topics = this.#topics(agents, strategy);
    let placed = topics.get(topic.topicId);
    const relevantLoads = strategy === 'consistent_spread_bounded_load' ? loads : noLoads;
    const toPlace = {
      topicId: topic.topicId,
      partitionCount: topic.partitionCount,
      hot: relevantLoads.hotOf(topic.topicId),
      overloaded: relevantLoads.overloaded,
    };
    if (placed === undefined || !isPlacedAs(placed, toPlace)) {
      if (placed !== undefined) this.#forget(topics, topic.topicId, placed);
      placed = place(toPlace, agents, strategy);
      this.#remember(topics, topic.topicId, placed);
    }
    const { leaders } = placed;
    const found = new Array<AgentDescription>(leaders.length);
    for (let partition = 0; partition < leaders.length; partition++) {
      found[partition] = agents[leaders[partition]!]!;
    }
    return found;
  }

  clear(): void {
    this.#tables.clear();
    this.#weight = 0;
  }

  #topics(agents: readonly AgentDescription[], strategy: string): Map<string, Placed> {
    let strategies = this.#tables.get(agents);
    if (strategies === undefined) {
      strategies = new Map();
      this.#tables.set(agents, strategies);
    }
    let topics = strategies.get(strategy);
    if (topics === undefined) {
      topics = new Map();
      strategies.set(strategy, topics);
    }
    return topics;
  }

  #remember(topics: Map<string, Placed>, topicId: string, placed: Placed): void {
    topics.set(topicId, placed);
    this.#weight += placed.partitionCount + topicWeight;
    for (const table of this.#tables.values()) {
      for (const others of table.values()) {
        for (const [otherId, other] of others) {
          if (this.#weight <= this.#weightMax) return;
          if (other !== placed) this.#forget(others, otherId, other);
        }
      }
    }
  }

  #forget(topics: Map<string, Placed>, topicId: string, { partitionCount }: Placed): void {
    topics.delete(topicId);
    this.#weight -= partitionCount + topicWeight;
  }
}

function isPlacedAs(placed: Placed, { partitionCount, hot, overloaded }: Omit<Placed, 'leaders'>): boolean {
  return placed.partitionCount === partitionCount && placed.hot === hot && placed.overloaded === overloaded;
}

function place(
  topic: Omit<Placed, 'leaders'> & { readonly topicId: string },
  agents: readonly AgentDescription[],
  strategy: Exclude<PartitionAssignmentStrategy, 'single_agent'>,
): Placed {
  const placeOf = new Map(agents.map((agent, index) => [agent, index]));
  // Only hot partitions of the default strategy depend on the client, and they are not placed here.
  const leaders = assignmentStrategies[strategy](topic, agents, { key: '' });
  return {
    partitionCount: topic.partitionCount,
    hot: topic.hot,
    overloaded: topic.overloaded,
    leaders: Uint16Array.from(leaders, (leader) => placeOf.get(leader)!),
  };
}
