import type { ClaimedQuery } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { type Clock, coreLimits } from '@weir/core';

/** Information about agents beyond their polls. */
export interface KnownAgents {
  /** From 0 to 1; `undefined` if no such agent is alive. */
  readonly cpuLoadOf: (agentId: string) => number | undefined;
  /** The group that the agent was started in. */
  readonly groupOf?: ((agentId: string) => string | undefined) | undefined;
}

interface Engine {
  readonly agentId: string;
  /** Ids of the queries that it works on. */
  readonly running: Set<string>;
  seenMs: number;
  /** Resolves its poll: with a query, or with `null`. */
  give: ((query: ClaimedQuery | null) => void) | undefined;
}

/** An agent polls again at once, unless it is at its limit; without a poll for this time it is gone. */
const absenceMsMax = 5_000;

/** The agents with a query engine, as known by their polls, and their running queries. */
export class Engines {
  readonly #clock: Clock;
  readonly #agents: KnownAgents;
  readonly #engines = new Map<string, Engine>();

  constructor(clock: Clock, agents: KnownAgents) {
    this.#clock = clock;
    this.#agents = agents;
  }

  get count(): number {
    return this.#engines.size;
  }

  /** The number of further queries that all agents together can take. */
  get freePlaces(): number {
    let free = 0;
    for (const { running } of this.#engines.values())
      free += Math.max(0, clusterLimits.queriesPerAgentMax - running.size);
    return free;
  }

  /** Waits for work for an agent. An earlier poll of it, whose connection is gone, ends. */
  wait(agentId: string, waitMs: number): Promise<ClaimedQuery | null> {
    const known = this.#engines.get(agentId);
    if (known === undefined && this.#engines.size >= coreLimits.agentsPerClusterMax)
      return Promise.resolve(null);
    const engine = known ?? { agentId, running: new Set(), seenMs: 0, give: undefined };
    engine.give?.(null);
    engine.seenMs = this.#clock.monotonicMs();
    this.#engines.set(agentId, engine);
    return new Promise((resolve) => {
      const give = (query: ClaimedQuery | null) => {
        cancel();
        engine.give = undefined;
        engine.seenMs = this.#clock.monotonicMs();
        resolve(query);
      };
      const cancel = this.#clock.after(waitMs, () => give(null));
      engine.give = give;
    });
  }

  /** Chooses the agent for a query: one that polls, has the least to do, and did not fail at this query before. */
  choose(triedBy: ReadonlySet<string>): string | undefined {
    let best: { readonly agentId: string; readonly rank: readonly number[] } | undefined;
    for (const { agentId, running, give } of this.#engines.values()) {
      const cpuLoad = this.#agents.cpuLoadOf(agentId);
      if (give === undefined || running.size >= clusterLimits.queriesPerAgentMax || cpuLoad === undefined)
        continue;
      const rank = [triedBy.has(agentId) ? 1 : 0, running.size, cpuLoad];
      if (best === undefined || isBefore(rank, best.rank)) best = { agentId, rank };
    }
    return best?.agentId;
  }

  give(agentId: string, query: ClaimedQuery): void {
    const engine = this.#engines.get(agentId)!;
    engine.running.add(query.queryId);
    engine.give!(query);
  }

  /** Notes a report of the agent. */
  noteReport(agentId: string): void {
    const engine = this.#engines.get(agentId);
    if (engine !== undefined) engine.seenMs = this.#clock.monotonicMs();
  }

  /** Notes that the agent has finished or lost a query. */
  free(agentId: string, queryId: string): void {
    this.#engines.get(agentId)?.running.delete(queryId);
  }

  isAlive(agentId: string): boolean {
    return this.#agents.cpuLoadOf(agentId) !== undefined;
  }

  /** Drops agents that are gone. The caller handles their queries. */
  sweep(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [agentId, { give, seenMs, running }] of this.#engines) {
      const isAbsent = give === undefined && running.size === 0 && nowMs - seenMs > absenceMsMax;
      if (!isAbsent && this.isAlive(agentId)) continue;
      this.#engines.delete(agentId);
      give?.(null);
    }
  }

  close(): void {
    for (const { give } of this.#engines.values()) give?.(null);
    this.#engines.clear();
  }
}

/** Compares ranks, the first number first. */
export function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const place = a.findIndex((part, index) => part !== b[index]);
  return place >= 0 && a[place]! < b[place]!;
}
