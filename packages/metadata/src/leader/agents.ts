import {
  type AgentClients,
  type AgentDescription,
  type AgentHeartbeat,
  type AgentsHeard,
  agentSilenceMsMax,
  ClusterUnavailable,
  heartbeatIntervalMs,
  type LostAgent,
  type SeenAgent,
} from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { type Clock, coreLimits, type Log } from '@weir/core';
import type { NodeIdRequest } from '@weir/machine';
import { AgentReports } from './agent-reports.ts';

interface Seen {
  readonly agent: AgentDescription;
  readonly atMs: number;
  /** Known from the leader before, and not heard since. */
  readonly isFromNote?: true;
  /** Over which it said so; absent when it has none, and when it lives in this process. */
  readonly connection?: object | undefined;
  /** Its connection ended, and it has not been heard over another. */
  readonly ended?: { readonly atMs: number; readonly graceMs: number } | undefined;
  /** Clients are not told of it until it is heard again. */
  readonly isAway?: boolean | undefined;
}

export type AgentsChange = 'agents' | 'loads';

/** Who has which node id, durably. */
interface NodeIds {
  /** Whether the id is the agent's, as far as is known here. */
  has(agentId: string, nodeId: number): boolean;
  /** Finds an id for an agent, and resolves when it is written down. */
  assign(request: NodeIdRequest): Promise<number>;
}

interface AgentsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeIds: NodeIds;
  /** Since when the leaders before have missed no login. */
  readonly loginsHeardSinceMs?: number | undefined;
}

/**
 * A connection that broke is that of an agent that died, with few exceptions. The clients of a dead agent ask another at the same moment where to go,
 * and some do not ask again for seconds, so that nothing is waited for but the end of this turn: several that break together are seen to do so.
 */
const brokenGraceMs = 0;
/** An agent that ended its connection in order, or was told to, is about to open another. */
const endedGraceMs = 1_000;

/** How long an agent that fell silent is told of as lost. */
export const lostAgentMsMax = 3_600_000;

/**
 * The agents that live, as far as their heartbeats and connections tell. Soft state of the leader: no entry of the journal, but a note to the
 * next leader, so that clients are not told after a failover that the cluster has no brokers.
 *
 * An agent whose connection broke is away: clients are not told of it from then on, and are again with its next heartbeat. Whatever
 * else is known of it stays until it has been silent for too long. While no agent has a connection nobody is away: it is this process that
 * lost them, and there is nobody who could be told.
 */
export class Agents {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #nodeIds: NodeIds;
  /** Agents that wait for their node ids. */
  readonly #joining = new Map<string, Promise<number>>();
  readonly #seen = new Map<string, Seen>();
  /** Those that fell silent, the first to do so first. */
  readonly #lost = new Map<string, Seen>();
  readonly #reports: AgentReports;
  #list: readonly AgentDescription[] | undefined;
  #loadChanged = false;
  #loadsToldMs = Number.NEGATIVE_INFINITY;
  #sweptMs: number;
  #connectedCount = 0;
  #isOver = false;
  /** Called when the list is another: an agent came, went or changed, or only loads did. */
  readonly #onChange: (change: AgentsChange) => void;

  constructor(options: AgentsOptions, onChange: (change: AgentsChange) => void) {
    const { clock, log, nodeIds, loginsHeardSinceMs } = options;
    this.#clock = clock;
    this.#log = log;
    this.#sweptMs = clock.monotonicMs();
    this.#nodeIds = nodeIds;
    this.#reports = new AgentReports(clock, loginsHeardSinceMs);
    this.#onChange = onChange;
  }

  /** In the order of their ids, so that every leader has the same. */
  list(): readonly AgentDescription[] {
    this.#list ??= [...this.#seen.values()]
      .filter(({ isAway }) => isAway !== true)
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

  /** Who is connected to each of them, as they told last. */
  clients(): AgentClients[] {
    return this.list().map(({ agentId }) => {
      const heard = this.#reports.connectedOf(agentId);
      return heard === undefined
        ? { agentId, heardMs: null, connectionCount: 0, software: [] }
        : { agentId, heardMs: heard.heardMs, ...heard.connected };
    });
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

  /** Rejects when the agent has no node id and cannot be given one now. */
  async heartbeat(heartbeat: AgentHeartbeat): Promise<readonly AgentDescription[]> {
    const { agentId } = heartbeat;
    const known = this.#seen.get(agentId)?.agent.nodeId;
    if (known !== undefined && this.#nodeIds.has(agentId, known)) return this.#heard(heartbeat, known);
    const joining = this.#join(heartbeat);
    const nodeId = await joining;
    // It may have left meanwhile.
    if (this.#joining.get(agentId) !== joining) return this.list();
    this.#joining.delete(agentId);
    return this.#heard(heartbeat, nodeId);
  }

  #join({ agentId, host, kafkaPort }: AgentDescription): Promise<number> {
    const underWay = this.#joining.get(agentId);
    if (underWay !== undefined) return underWay;
    if (!this.#seen.has(agentId) && this.#seen.size + this.#joining.size >= coreLimits.agentsPerClusterMax)
      throw new ClusterUnavailable(`a cluster has at most ${coreLimits.agentsPerClusterMax} agents`);
    const joining = [...this.#joining.keys()];
    const present = [...this.#seen.values()]
      .filter((seen) => isPresent(seen))
      .map(({ agent }) => agent.agentId);
    const assigned = this.#nodeIds.assign({
      agentId,
      address: `${host}:${kafkaPort}`,
      named: [...this.#seen.keys(), ...joining],
      present: [...present, ...joining],
    });
    this.#joining.set(agentId, assigned);
    assigned.catch(() => {
      if (this.#joining.get(agentId) === assigned) this.#joining.delete(agentId);
    });
    return assigned;
  }

  #heard(heartbeat: AgentHeartbeat, nodeId: number): readonly AgentDescription[] {
    // What an agent has measured is nobody's business but the leader's, and would make every list a new one.
    const { report, ...described } = heartbeat;
    const agent: AgentDescription = { ...described, nodeId };
    const seen = this.#seen.get(agent.agentId);
    const before = seen?.isAway === true ? undefined : seen?.agent;
    if (seen?.agent.nodeId !== nodeId) this.#takeFromOthers(nodeId, agent.agentId);
    const { connection, ended } = seen ?? {};
    this.#put({ agent, atMs: this.#clock.monotonicMs(), connection, ended });
    this.#lost.delete(agent.agentId);
    const problem = this.#reports.heard(agent.agentId, report);
    if (problem !== undefined)
      this.#log.debug('ignored invalid report of agent', { agentId: agent.agentId, problem });
    if (before === undefined || !isSameButLoad(before, agent)) {
      this.#list = undefined;
      this.#onChange('agents');
    } else if (before.cpuLoad !== agent.cpuLoad) {
      // The list is not made anew for it: with many agents some load changes with every heartbeat.
      this.#loadChanged = true;
    }
    return this.list();
  }

  /** An agent was heard over a connection, which is of no more interest than that it is there. To be told with each heartbeat. */
  connected(agentId: string, connection: object): void {
    const seen = this.#seen.get(agentId);
    if (seen === undefined || seen.connection === connection) return;
    const isFirst = this.#connectedCount === 0;
    this.#put({ ...seen, connection, ended: undefined });
    // The others lost theirs when this process had none at all, and are on their way too.
    if (isFirst) this.#graceAnew();
  }

  /** A connection is gone. `isBroken`: nobody closed it, so that its agent is probably dead. */
  disconnected(agentId: string, connection: object, isBroken: boolean): void {
    const seen = this.#seen.get(agentId);
    if (seen?.connection !== connection) return;
    const graceMs = isBroken ? brokenGraceMs : endedGraceMs;
    this.#put({ ...seen, connection: undefined, ended: { atMs: this.#clock.monotonicMs(), graceMs } });
    this.#lookAfter(graceMs);
  }

  /** This process no longer leads, and nothing is looked at any more. */
  close(): void {
    this.#isOver = true;
  }

  #graceAnew(): void {
    const atMs = this.#clock.monotonicMs();
    for (const seen of this.#seen.values()) {
      if (seen.ended !== undefined && seen.isAway !== true)
        this.#put({ ...seen, ended: { atMs, graceMs: endedGraceMs } });
    }
    this.#lookAfter(endedGraceMs);
  }

  #lookAfter(delayMs: number): void {
    this.#clock.after(delayMs, () => {
      if (!this.#isOver) this.#look();
    });
  }

  /** Finds those that are away. */
  #look(): void {
    if (this.#connectedCount === 0) return;
    const nowMs = this.#clock.monotonicMs();
    let isChanged = false;
    for (const seen of this.#seen.values()) {
      const { ended, isAway, agent } = seen;
      if (ended === undefined || isAway === true || nowMs - ended.atMs < ended.graceMs) continue;
      this.#put({ ...seen, isAway: true });
      this.#log.info('removed agent without a connection from Metadata', { agentId: agent.agentId });
      isChanged = true;
    }
    if (!isChanged) return;
    this.#list = undefined;
    this.#onChange('agents');
  }

  #put(seen: Seen): void {
    const { agentId } = seen.agent;
    if (this.#seen.get(agentId)?.connection !== undefined) this.#connectedCount--;
    if (seen.connection !== undefined) this.#connectedCount++;
    this.#seen.set(agentId, seen);
  }

  #drop(agentId: string): boolean {
    if (this.#seen.get(agentId)?.connection !== undefined) this.#connectedCount--;
    return this.#seen.delete(agentId);
  }

  /** An agent has an id that another had, of which nobody knew whether it lives. */
  #takeFromOthers(nodeId: number, agentId: string): void {
    for (const { agent } of this.#seen.values()) {
      if (agent.nodeId !== nodeId || agent.agentId === agentId) continue;
      this.#drop(agent.agentId);
      this.#reports.forget(agent.agentId);
    }
  }

  leave(agentId: string): void {
    this.#joining.delete(agentId);
    this.#lost.delete(agentId);
    this.#reports.forget(agentId);
    if (!this.#drop(agentId)) return;
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
      this.#drop(agentId);
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
    if (this.#lost.size > clusterLimits.lostAgentsMax) this.#lost.delete(this.#lost.keys().next().value!);
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

/** Whether an agent is known to live: it is not only told of by the leader before, nor has its connection ended. */
function isPresent({ isFromNote, ended }: Seen): boolean {
  return isFromNote !== true && ended === undefined;
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
