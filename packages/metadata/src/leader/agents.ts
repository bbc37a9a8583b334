import { type Clock, caps, type Log } from '@weir/core';
import type { AgentHeartbeat, AgentsHeard, LostAgent } from '../cluster/agent-report.ts';
import type { SeenAgent } from '../cluster/owner-port.ts';
import {
  type AgentDescription,
  agentSilenceMsMax,
  ClusterUnavailable,
  heartbeatIntervalMs,
} from '../cluster/port.ts';
import { AgentReports } from './agent-reports.ts';

interface Seen {
  readonly agent: AgentDescription;
  readonly atMs: number;
  /** Known from the leader before, and not heard since. */
  readonly isFromNote?: true;
}

export type AgentsChange = 'agents' | 'loads';

export interface AgentsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Since when the leaders before have missed no login. */
  readonly loginsHeardSinceMs?: number | undefined;
}

/** How long an agent that fell silent is told of as lost. */
export const lostAgentMsMax = 3_600_000;

/**
 * The agents that live, as far as their heartbeats tell. Soft state of the leader: no entry of the journal, but a note to the
 * next leader, so that clients are not told after a failover that the cluster has no brokers.
 */
export class Agents {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #seen = new Map<string, Seen>();
  /** Those that fell silent, the first to do so first. */
  readonly #lost = new Map<string, Seen>();
  readonly #reports: AgentReports;
  #list: readonly AgentDescription[] | undefined;
  #loadChanged = false;
  #loadsToldMs = Number.NEGATIVE_INFINITY;
  #sweptMs: number;
  /** Called when the list is another: an agent came, went or changed, or only loads did. */
  readonly #onChange: (change: AgentsChange) => void;

  constructor({ clock, log, loginsHeardSinceMs }: AgentsOptions, onChange: (change: AgentsChange) => void) {
    this.#clock = clock;
    this.#log = log;
    this.#sweptMs = clock.monotonicMs();
    this.#reports = new AgentReports(clock, loginsHeardSinceMs);
    this.#onChange = onChange;
  }

  /** In the order of their ids, so that every leader has the same. */
  list(): readonly AgentDescription[] {
    this.#list ??= [...this.#seen.values()]
      .map(({ agent }) => agent)
      .sort((a, b) => (a.agentId < b.agentId ? -1 : 1));
    return this.#list;
  }

  /** As it was said last; `undefined` when there is no such agent. */
  cpuLoadOf(agentId: string): number | undefined {
    return this.#seen.get(agentId)?.agent.cpuLoad;
  }

  /** With their loads as they said them last, and when. */
  seen(): SeenAgent[] {
    return this.list().map(({ agentId }) => this.#withTime(this.#seen.get(agentId)!));
  }

  /** What they told of themselves besides, and who is missing. */
  heard(): AgentsHeard {
    return {
      reports: this.#reports.reports(),
      lost: this.#lostOfLate(),
      loginsHeardSinceMs: this.#reports.loginsHeardSinceMs,
    };
  }

  /** Who logged in, and what of it is to be written down. */
  get logins(): Pick<AgentReports, 'loginMs' | 'takeLogins' | 'putBackLogins'> {
    return this.#reports;
  }

  heartbeat(heartbeat: AgentHeartbeat): readonly AgentDescription[] {
    // What an agent has measured is nobody's business but the leader's, and would make every list a new one.
    const { report } = heartbeat;
    const agent = report === undefined ? heartbeat : withoutReport(heartbeat);
    const before = this.#seen.get(agent.agentId)?.agent;
    if (before === undefined && this.#seen.size >= caps.agentsPerClusterMax)
      throw new ClusterUnavailable(`a cluster has at most ${caps.agentsPerClusterMax} agents`);
    this.#seen.set(agent.agentId, { agent, atMs: this.#clock.monotonicMs() });
    this.#lost.delete(agent.agentId);
    const problem = this.#reports.heard(agent.agentId, report);
    if (problem !== undefined)
      this.#log.debug('the report of an agent cannot be used', { agentId: agent.agentId, problem });
    if (before === undefined || !isSameButLoad(before, agent)) {
      this.#list = undefined;
      this.#onChange('agents');
    } else if (before.cpuLoad !== agent.cpuLoad) {
      // The list is not made anew for it: with many agents some load changes with every heartbeat.
      this.#loadChanged = true;
    }
    return this.list();
  }

  leave(agentId: string): void {
    this.#lost.delete(agentId);
    this.#reports.forget(agentId);
    if (!this.#seen.delete(agentId)) return;
    this.#list = undefined;
    this.#onChange('agents');
  }

  /** Forgets who has been silent for too long, and tells of loads that changed. Call it every second or so. */
  sweep(): void {
    const nowMs = this.#clock.monotonicMs();
    // Who did not listen cannot tell who was silent: after a pause of our own, what agents said meanwhile is still to be read.
    const wasAway = nowMs - this.#sweptMs >= agentSilenceMsMax / 2;
    this.#sweptMs = nowMs;
    if (wasAway) return;
    const oldestMs = nowMs - agentSilenceMsMax;
    // Each agent says its load once per heartbeat, so that more often would tell everybody of some agents' loads at a time.
    const isTimeForLoads = this.#loadChanged && nowMs - this.#loadsToldMs >= heartbeatIntervalMs;
    let change: AgentsChange | undefined = isTimeForLoads ? 'loads' : undefined;
    for (const [agentId, seen] of this.#seen) {
      if (seen.atMs > oldestMs) continue;
      this.#seen.delete(agentId);
      this.#reports.forget(agentId);
      this.#lose(agentId, seen);
      change = 'agents';
    }
    if (change === undefined) return;
    this.#loadChanged = false;
    this.#loadsToldMs = nowMs;
    this.#list = undefined;
    this.#onChange(change);
  }

  /** The list as a note to the next leader. */
  note(): Buffer {
    return Buffer.from(JSON.stringify(this.list()));
  }

  /** Takes over the list of the leader before; who is gone meanwhile falls silent. */
  takeOver(note: Buffer): void {
    const atMs = this.#clock.monotonicMs();
    for (const agent of JSON.parse(String(note)) as AgentDescription[]) {
      if (!this.#seen.has(agent.agentId)) this.#seen.set(agent.agentId, { agent, atMs, isFromNote: true });
    }
    this.#list = undefined;
  }

  /** An agent that was not heard since the leader changed may have left when nobody led, so that it is not missed. */
  #lose(agentId: string, seen: Seen): void {
    if (seen.isFromNote === true) return;
    this.#lost.delete(agentId);
    this.#lost.set(agentId, seen);
    if (this.#lost.size > caps.lostAgentsMax) this.#lost.delete(this.#lost.keys().next().value!);
  }

  #lostOfLate(): readonly LostAgent[] {
    const oldestMs = this.#clock.monotonicMs() - lostAgentMsMax;
    for (const [agentId, { atMs }] of this.#lost) if (atMs < oldestMs) this.#lost.delete(agentId);
    return [...this.#lost.values()].map((seen) => this.#withTime(seen));
  }

  /** A wall clock that was set meanwhile does not matter, since what is kept is the age. */
  #withTime({ agent, atMs }: Seen): SeenAgent {
    const ageMs = Math.round(this.#clock.monotonicMs() - atMs);
    return { ...agent, lastSeenMs: this.#clock.nowMs() - ageMs };
  }
}

function withoutReport({ report, ...agent }: AgentHeartbeat): AgentDescription {
  return agent;
}

/** It is asked with every heartbeat of every agent, and so makes no text of what can be compared as it is. */
function isSameButLoad(a: AgentDescription, b: AgentDescription): boolean {
  const fields = Object.keys(b) as (keyof AgentDescription)[];
  if (fields.length !== Object.keys(a).length) return false;
  return fields.every((field) => field === 'cpuLoad' || isSame(a[field], b[field]));
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));
}
