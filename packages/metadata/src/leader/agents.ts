import { type Clock, caps } from '@weir/core';
import type { SeenAgent } from '../cluster/owner-port.ts';
import { type AgentDescription, agentSilenceMsMax, ClusterUnavailable } from '../cluster/port.ts';

interface Seen {
  readonly agent: AgentDescription;
  readonly atMs: number;
}

/**
 * The agents that live, as far as their heartbeats tell. Soft state of the leader: no entry of the journal, but a note to the
 * next leader, so that clients are not told after a failover that the cluster has no brokers.
 */
export class Agents {
  readonly #clock: Clock;
  readonly #seen = new Map<string, Seen>();
  #list: readonly AgentDescription[] | undefined;
  #loadChanged = false;
  /** Called when an agent came, went or changed in more than its load. */
  readonly #onChange: () => void;

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** In the order of their ids, so that every leader has the same. */
  list(): readonly AgentDescription[] {
    this.#list ??= [...this.#seen.values()]
      .map(({ agent }) => agent)
      .sort((a, b) => (a.agentId < b.agentId ? -1 : 1));
    return this.#list;
  }

  /** With their loads as they said them last, and when. */
  seen(): SeenAgent[] {
    // A wall clock that was set meanwhile does not matter, since what is kept is the age.
    const nowMs = this.#clock.nowMs();
    const atMs = this.#clock.monotonicMs();
    return this.list().map(({ agentId }) => {
      const { agent, atMs: seenMs } = this.#seen.get(agentId)!;
      return { ...agent, lastSeenMs: nowMs - Math.round(atMs - seenMs) };
    });
  }

  heartbeat(agent: AgentDescription): readonly AgentDescription[] {
    const before = this.#seen.get(agent.agentId)?.agent;
    if (before === undefined && this.#seen.size >= caps.agentsPerClusterMax)
      throw new ClusterUnavailable(`a cluster has at most ${caps.agentsPerClusterMax} agents`);
    this.#seen.set(agent.agentId, { agent, atMs: this.#clock.monotonicMs() });
    if (before === undefined || !isSameButLoad(before, agent)) {
      this.#list = undefined;
      this.#onChange();
    } else if (before.cpuLoad !== agent.cpuLoad) {
      // The list is not made anew for it: with many agents some load changes with every heartbeat.
      this.#loadChanged = true;
    }
    return this.list();
  }

  leave(agentId: string): void {
    if (!this.#seen.delete(agentId)) return;
    this.#list = undefined;
    this.#onChange();
  }

  /** Forgets who has been silent for too long, and tells of loads that changed. Call it every second or so. */
  sweep(): void {
    const oldestMs = this.#clock.monotonicMs() - agentSilenceMsMax;
    let changed = this.#loadChanged;
    for (const [agentId, { atMs }] of this.#seen) {
      if (atMs > oldestMs) continue;
      this.#seen.delete(agentId);
      changed = true;
    }
    this.#loadChanged = false;
    if (!changed) return;
    this.#list = undefined;
    this.#onChange();
  }

  /** The list as a note to the next leader. */
  note(): Buffer {
    return Buffer.from(JSON.stringify(this.list()));
  }

  /** Takes over the list of the leader before; who is gone meanwhile falls silent. */
  takeOver(note: Buffer): void {
    const atMs = this.#clock.monotonicMs();
    for (const agent of JSON.parse(String(note)) as AgentDescription[]) {
      if (!this.#seen.has(agent.agentId)) this.#seen.set(agent.agentId, { agent, atMs });
    }
    this.#list = undefined;
  }
}

function isSameButLoad(a: AgentDescription, b: AgentDescription): boolean {
  return JSON.stringify({ ...a, cpuLoad: 0 }) === JSON.stringify({ ...b, cpuLoad: 0 });
}
