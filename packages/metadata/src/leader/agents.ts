import {
  type AgentClients,
  type AgentDescription,
  type AgentHeartbeat,
  agentSilenceMsMax,
  ClusterUnavailable,
  type LostAgent,
  loadIntervalMs,
  loadStep,
  type NamedAgent,
  overloadedFrom,
  overloadedUntil,
  overloadIntervalMs,
  type ReceivedReports,
  type SeenAgent,
  takenOverGraceMs,
} from '@weir/cluster';
import { type Clock, coreLimits, type Log } from '@weir/core';
import type { NodeIdRequest } from '@weir/machine';
import { metadataLimits } from '../limits.ts';
import type { LastTraffic } from '../series/cluster-sampler.ts';
import { AgentReports } from './agent-reports.ts';

/**
 * A heartbeat changes what is not `readonly` in place. A new object with each of them would live until the next one,
 * long enough to be promoted, and garbage of that kind makes the runtime collect the whole heap.
 */
interface Seen {
  /** With the load of the list that was last published. */
  agent: AgentDescription;
  /** The answer to its heartbeats. */
  readonly named: readonly NamedAgent[];
  /** Of its last heartbeat. */
  atMs: number;
  cpuLoad: number;
  /** Known from the previous leader, without a heartbeat since. */
  isFromNote?: true | undefined;
  /** The connection of its last heartbeat; absent if it has none, or runs in this process. */
  readonly connection?: object | undefined;
  /** Its connection ended, or was that of the previous leader, and no heartbeat has arrived over another. */
  ended?: { readonly atMs: number; readonly graceMs: number } | undefined;
  /** Not listed in Metadata until its next heartbeat. */
  isAway?: boolean | undefined;
}

export type AgentsChange = 'agents' | 'loads';

/** The durable assignment of node ids. */
interface NodeIds {
  /** Returns whether the id belongs to the agent, as far as this process knows. */
  has(agentId: string, nodeId: number): boolean;
  /** Assigns an id to an agent; resolves when it is durable. */
  assign(request: NodeIdRequest): Promise<number>;
}

interface AgentsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeIds: NodeIds;
  /** Since when earlier leaders have missed no login. */
  readonly loginsReceivedSinceMs?: number | undefined;
}

/**
 * A broken connection almost always means that the agent died. Clients of a dead agent ask another one for metadata at
 * the same moment, and some do not ask again for seconds. So the only delay is the end of this turn of the event loop,
 * which lets connections that break together be handled together.
 */
const brokenGraceMs = 0;
/** An agent that closed its connection cleanly, or was asked to, is about to open another. */
const endedGraceMs = 1_000;

/** How long a silent agent is listed as lost. */
export const lostAgentMsMax = 3_600_000;

/**
 * The live agents, by heartbeats and connections. Soft state of the leader: it is not in the journal, but is left as a
 * note for the next leader, so that Metadata does not show a cluster without brokers after a failover.
 *
 * An agent whose connection broke is away: Metadata omits it until its next heartbeat. All other state of it stays
 * until the silence timeout. While no agent has a connection none is away: then this process has lost its connections,
 * and there is no client to inform.
 */
export class Agents {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #nodeIds: NodeIds;
  /** Agents that wait for their node ids. */
  readonly #joining = new Map<string, Promise<number>>();
  readonly #seen = new Map<string, Seen>();
  /** Silent agents, the oldest first. */
  readonly #lost = new Map<string, Seen>();
  readonly #reports: AgentReports;
  #list: readonly AgentDescription[] | undefined;
  /** The largest change of a load since the list was published. */
  #loadChange: 'none' | 'step' | 'level' = 'none';
  #loadsSentMs = Number.NEGATIVE_INFINITY;
  #sweptMs: number;
  #connectedCount = 0;
  #isOver = false;
  /** Called when the list changes: an agent came, went or changed, or only loads did. */
  readonly #onChange: (change: AgentsChange) => void;

  constructor(options: AgentsOptions, onChange: (change: AgentsChange) => void) {
    const { clock, log, nodeIds, loginsReceivedSinceMs } = options;
    this.#clock = clock;
    this.#log = log;
    this.#sweptMs = clock.monotonicMs();
    this.#nodeIds = nodeIds;
    this.#reports = new AgentReports(clock, loginsReceivedSinceMs);
    this.#onChange = onChange;
  }

  /** Sorted by id, so that every leader returns the same order. */
  list(): readonly AgentDescription[] {
    if (this.#list !== undefined) return this.#list;
    const list: AgentDescription[] = [];
    for (const seen of this.#seen.values()) {
      if (seen.isAway === true) continue;
      // The last list stays as it was published.
      seen.agent = describe(seen);
      list.push(seen.agent);
    }
    this.#loadChange = 'none';
    this.#list = list.sort((a, b) => (a.agentId < b.agentId ? -1 : 1));
    return this.#list;
  }

  /** The ids of all agents that have not been silent for too long, away or not. */
  ids(): Iterable<string> {
    return this.#seen.keys();
  }

  /** The last reported load; `undefined` if there is no such agent. */
  cpuLoadOf(agentId: string): number | undefined {
    return this.#seen.get(agentId)?.cpuLoad;
  }

  /** The group of an agent; `undefined` if there is no such agent. */
  groupOf(agentId: string): string | undefined {
    return this.#seen.get(agentId)?.agent.group;
  }

  /** With their last reported loads, and when, and since when they run. */
  seen(): SeenAgent[] {
    return this.list().map(({ agentId }) => {
      const startedMs = this.#reports.startedMs(agentId);
      const namedBucket = this.#reports.namedBucketOf(agentId);
      return {
        ...this.#withTime(this.#seen.get(agentId)!),
        ...(startedMs === undefined ? {} : { startedMs }),
        ...(namedBucket === undefined ? {} : { namedBucket }),
      };
    });
  }

  /** The clients of each agent, as last reported. */
  clients(): AgentClients[] {
    return this.list().map(({ agentId }) => {
      const received = this.#reports.connectedOf(agentId);
      return received === undefined
        ? { agentId, heardMs: null, connectionCount: 0, software: [] }
        : { agentId, heardMs: received.receivedMs, ...received.connected };
    });
  }

  /** Reports of agents, and lost agents. */
  received(): ReceivedReports {
    return {
      reports: this.#reports.reports(),
      lost: this.#lostOfLate(),
      loginsReceivedSinceMs: this.#reports.loginsReceivedSinceMs,
    };
  }

  get traffic(): AgentReports['traffic'] {
    return this.#reports.traffic;
  }

  lastTraffic(agentId: string): LastTraffic | undefined {
    return this.#reports.lastTraffic(agentId);
  }

  /** Agents that went silent without leaving, of the last hour. */
  lost(): readonly LostAgent[] {
    return this.#lostOfLate();
  }

  /** Logins, and those of them to store. */
  get logins(): Pick<AgentReports, 'loginMs' | 'oldPasswordLoginMs' | 'takeLogins' | 'putBackLogins'> {
    return this.#reports;
  }

  /**
   * Returns the agent with its node id; nothing if it left meanwhile. Rejects if the agent has no node id and cannot
   * get one now.
   */
  async heartbeat(heartbeat: AgentHeartbeat): Promise<readonly NamedAgent[]> {
    const { agentId } = heartbeat;
    const known = this.#seen.get(agentId)?.agent.nodeId;
    if (known !== undefined && this.#nodeIds.has(agentId, known)) return this.#receive(heartbeat, known);
    const joining = this.#join(heartbeat);
    const nodeId = await joining;
    // It may have left meanwhile.
    if (this.#joining.get(agentId) !== joining) return [];
    this.#joining.delete(agentId);
    return this.#receive(heartbeat, nodeId);
  }

  #join({ agentId, host, kafkaPort }: AgentDescription): Promise<number> {
    const underWay = this.#joining.get(agentId);
    if (underWay !== undefined) return underWay;
    if (!this.#seen.has(agentId) && this.#seen.size + this.#joining.size >= coreLimits.agentsPerClusterMax)
      throw new ClusterUnavailable(`agent limit of the cluster reached: ${coreLimits.agentsPerClusterMax}`);
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

  #receive(heartbeat: AgentHeartbeat, nodeId: number): readonly NamedAgent[] {
    const { agentId } = heartbeat;
    const seen = this.#seen.get(agentId);
    const isKnown =
      seen !== undefined && seen.agent.nodeId === nodeId && isSameButLoad(seen.agent, heartbeat);
    const atMs = this.#clock.monotonicMs();
    const wasListed = isKnown && seen.isAway !== true;
    let received: Seen;
    if (isKnown) {
      received = seen;
      seen.atMs = atMs;
      seen.cpuLoad = heartbeat.cpuLoad;
      if (seen.isFromNote === true) seen.ended = undefined;
      seen.isFromNote = undefined;
      seen.isAway = undefined;
    } else {
      // Only the leader needs the report, and including it would change every list.
      const { report, ...described } = heartbeat;
      const agent: AgentDescription = { ...described, nodeId };
      const { connection, ended } = seen ?? {};
      if (seen?.agent.nodeId !== nodeId) this.#takeFromOthers(nodeId, agentId);
      received = { agent, named: [{ agentId, nodeId }], atMs, cpuLoad: agent.cpuLoad, connection, ended };
      this.#put(received);
    }
    this.#lost.delete(agentId);
    const problem = this.#reports.receive(agentId, heartbeat.report);
    if (problem !== undefined)
      this.#log.debug('ignored invalid report of agent', { agentId, error: problem });
    if (wasListed) {
      this.#noteLoad(received);
    } else {
      this.#list = undefined;
      this.#onChange('agents');
    }
    return received.named;
  }

  /** The list is not rebuilt for a load: with many agents some load changes with every heartbeat. */
  #noteLoad({ agent: { cpuLoad: listedLoad }, cpuLoad }: Seen): void {
    if (levelOf(cpuLoad) !== levelOf(listedLoad)) this.#loadChange = 'level';
    else if (Math.abs(cpuLoad - listedLoad) >= loadStep && this.#loadChange === 'none')
      this.#loadChange = 'step';
  }

  /** Notes the connection of an agent; only its identity matters. Must be called with each heartbeat. */
  connected(agentId: string, connection: object): void {
    const seen = this.#seen.get(agentId);
    if (seen === undefined || seen.connection === connection) return;
    const isFirst = this.#connectedCount === 0;
    this.#put({ ...seen, connection, ended: undefined });
    // The others lost theirs when this process had none at all, and are reconnecting too.
    if (isFirst) this.#graceAnew();
  }

  /** Notes the end of a connection. `isBroken`: neither side closed it, so the agent is probably dead. */
  disconnected(agentId: string, connection: object, isBroken: boolean): void {
    const seen = this.#seen.get(agentId);
    if (seen?.connection !== connection) return;
    const graceMs = isBroken ? brokenGraceMs : endedGraceMs;
    this.#put({ ...seen, connection: undefined, ended: { atMs: this.#clock.monotonicMs(), graceMs } });
    this.#markAwayAfter(graceMs);
  }

  /** Ends the term; later checks do nothing. */
  close(): void {
    this.#isOver = true;
  }

  #graceAnew(): void {
    const atMs = this.#clock.monotonicMs();
    const graces = new Set<number>();
    for (const seen of this.#seen.values()) {
      if (seen.ended === undefined || seen.isAway === true) continue;
      const graceMs = seen.isFromNote === true ? seen.ended.graceMs : endedGraceMs;
      graces.add(graceMs);
      this.#put({ ...seen, ended: { atMs, graceMs } });
    }
    for (const delayMs of graces) this.#markAwayAfter(delayMs);
  }

  #markAwayAfter(delayMs: number): void {
    this.#clock.after(delayMs, () => {
      if (!this.#isOver) this.#markAway();
    });
  }

  /** Marks agents whose grace time has passed as away. */
  #markAway(): void {
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

  /** Drops an agent of unknown state whose node id another agent has taken over. */
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

  /** Drops agents after the silence timeout, and publishes changed loads. Must be called about every second. */
  sweep(): void {
    const nowMs = this.#clock.monotonicMs();
    // After a pause of this process, heartbeats that arrived meanwhile are still unread, so no agent counts as silent.
    const wasAway = nowMs - this.#sweptMs >= agentSilenceMsMax / 2;
    this.#sweptMs = nowMs;
    if (wasAway) return;
    const oldestMs = nowMs - agentSilenceMsMax;
    let change: AgentsChange | undefined = this.#isTimeForLoads(nowMs) ? 'loads' : undefined;
    for (const [agentId, seen] of this.#seen) {
      if (seen.atMs > oldestMs) continue;
      this.#drop(agentId);
      this.#reports.forget(agentId);
      this.#lose(agentId, seen);
      change = 'agents';
    }
    if (change === undefined) return;
    this.#loadsSentMs = nowMs;
    this.#list = undefined;
    this.#onChange(change);
  }

  #isTimeForLoads(nowMs: number): boolean {
    if (this.#loadChange === 'none') return false;
    const intervalMs = this.#loadChange === 'level' ? overloadIntervalMs : loadIntervalMs;
    return nowMs - this.#loadsSentMs >= intervalMs;
  }

  /** The list, as a note for the next leader. */
  note(): Buffer {
    return Buffer.from(JSON.stringify(this.list()));
  }

  /**
   * Takes over the list of the previous leader. Agents that do not connect when others do are away; those that are gone
   * run into the silence timeout.
   */
  takeOver(note: Buffer): void {
    const atMs = this.#clock.monotonicMs();
    const agents = JSON.parse(String(note)) as AgentDescription[];
    const ended = { atMs, graceMs: takenOverGraceMs(agents.length) };
    for (const agent of agents) {
      const { agentId, nodeId, cpuLoad } = agent;
      if (this.#seen.has(agentId)) continue;
      const named = [{ agentId, nodeId }];
      this.#seen.set(agentId, { agent, named, atMs, cpuLoad, ended, isFromNote: true });
    }
    this.#list = undefined;
  }

  /**
   * An agent without a heartbeat since the failover may have left while there was no leader, so it does not count as
   * lost.
   */
  #lose(agentId: string, seen: Seen): void {
    if (seen.isFromNote === true) return;
    this.#lost.delete(agentId);
    this.#lost.set(agentId, seen);
    if (this.#lost.size > metadataLimits.lostAgentsMax) this.#lost.delete(this.#lost.keys().next().value!);
  }

  #lostOfLate(): readonly LostAgent[] {
    const oldestMs = this.#clock.monotonicMs() - lostAgentMsMax;
    for (const [agentId, { atMs }] of this.#lost) if (atMs < oldestMs) this.#lost.delete(agentId);
    return [...this.#lost.values()].map((seen) => this.#withTime(seen));
  }

  /** Changes of the wall clock do not matter, because the age is stored. */
  #withTime(seen: Seen): SeenAgent {
    const ageMs = Math.round(this.#clock.monotonicMs() - seen.atMs);
    return { ...describe(seen), lastSeenMs: this.#clock.nowMs() - ageMs };
  }
}

/** The description of an agent with its last load. */
function describe({ agent, cpuLoad }: Seen): AgentDescription {
  return agent.cpuLoad === cpuLoad ? agent : { ...agent, cpuLoad };
}

/** Whether an agent is known to be alive: not only known from the previous leader, and its connection has not ended. */
function isPresent({ isFromNote, ended }: Seen): boolean {
  return isFromNote !== true && ended === undefined;
}

/** Runs with every heartbeat of every agent. */
function isSameButLoad(agent: AgentDescription, heartbeat: AgentHeartbeat): boolean {
  let fieldCount = 0;
  for (const field in heartbeat) {
    if (field === 'report') continue;
    fieldCount++;
    // An agent says the node id of its last answer, and the leader knows better.
    if (field === 'cpuLoad' || field === 'nodeId') continue;
    const key = field as keyof AgentDescription;
    if (!isSame(agent[key], heartbeat[key])) return false;
  }
  return fieldCount === Object.keys(agent).length;
}

/** Fields are texts, numbers, and lists of texts. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((member, index) => member === b[index]);
}

/** Loads of different levels matter to the agents. */
function levelOf(cpuLoad: number): number {
  if (cpuLoad >= overloadedFrom) return 2;
  return cpuLoad >= overloadedUntil ? 1 : 0;
}
