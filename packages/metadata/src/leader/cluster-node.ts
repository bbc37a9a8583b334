import { randomBytes } from 'node:crypto';
import {
  type AgentsHeard,
  type ClusterFollower,
  type ClusterPort,
  callPortClass,
  NotLeader,
  portOf,
} from '@weir/cluster';
import type { Clock, EventTypeName, Log, Metrics } from '@weir/core';
import { EntriesPruned, type Journal, type LeaseHolder } from '@weir/journal';
import type { Command, Namespace, ReplyOf } from '@weir/machine';
import { type EventMetrics, eventMetrics } from '../events/event-metrics.ts';
import { type QueryQueueMetrics, queryQueueMetrics } from '../queries/query-queue-metrics.ts';
import { answerCall } from './answer-call.ts';
import { untilBeatMs } from './beat.ts';
import { Followers } from './followers.ts';
import { HeldLease } from './held-lease.ts';
import { type CommitMetrics, commitMetrics } from './leader-metrics.ts';
import { Leadership } from './leadership.ts';
import { clusterMachines, type MachineKind } from './machine-kind.ts';
import { defaultSnapshotBytesMin, Replica } from './replica.ts';
import { defaultTiming, type Timing } from './timing.ts';

export interface ClusterNodeOptions {
  readonly clusterId: string;
  readonly journal: Journal;
  /** This control-plane process. Its id is its own among all processes that live, and may be the same after a restart. */
  readonly self: LeaseHolder;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly timing?: Partial<Timing>;
  /** How much of the journal a snapshot has to stand for; from then on, its own size. */
  readonly snapshotBytesMin?: number;
  readonly machines?: MachineKind;
  /** An id that nobody ever had, for topics. */
  readonly freshId?: () => string;
  /**
   * How long this process leaves a free lease to others that should rather have it, given who held it last. Without it no time at
   * all. LoadSharing says it where several processes share many clusters.
   */
  readonly leaseGraceMs?: (lastHolderId: string | undefined) => number;
}

/**
 * `standby`: reads the journal and waits for the lease. `leader`: serves. `stopped`: does nothing any more.
 *
 *     standby ──lease, journal read to its end──▶ leader
 *        ▲                                          │
 *        └──fenced, lease over, journal failed──────┘        any ──stop()──▶ stopped
 */
export type Role = 'standby' | 'leader' | 'stopped';

/**
 * One cluster in one control-plane process. As a standby it keeps a machine of its own up to date, so that it can take over at
 * once; as the leader it answers the port. Otherwise every call rejects with `NotLeader`.
 */
export class ClusterNode extends callPortClass() implements ClusterPort {
  readonly #options: ClusterNodeOptions;
  readonly #timing: Timing;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #metrics: CommitMetrics;
  readonly #eventMetrics: EventMetrics;
  readonly #queryMetrics: QueryQueueMetrics;
  readonly #machines: MachineKind;
  readonly #freshId: () => string;
  readonly #snapshotBytesMin: number;
  readonly #followers: Followers;
  readonly #roleListeners = new Set<(role: Role) => void>();
  readonly #leaderListeners = new Set<() => void>();
  #role: Role = 'standby';
  #leadership: Leadership | undefined;
  #leaderUrl: string | undefined;
  #replica: Replica | undefined;
  #wake: (() => void) | undefined;
  #ended: Promise<void> | undefined;

  constructor(options: ClusterNodeOptions) {
    const { clusterId, clock, log, metrics, timing, machines } = options;
    super((name, args) => this.#lead((leadership) => answerCall(leadership, name, args, this.#freshId)));
    this.#options = options;
    this.#timing = { ...defaultTiming, ...timing };
    this.#clock = clock;
    this.#log = log.with({ clusterId });
    this.#metrics = commitMetrics(metrics, clusterId);
    this.#queryMetrics = queryQueueMetrics(metrics);
    this.#eventMetrics = eventMetrics(metrics, clusterId);
    this.#machines = machines ?? clusterMachines;
    this.#freshId = options.freshId ?? freshTopicId;
    this.#snapshotBytesMin = options.snapshotBytesMin ?? defaultSnapshotBytesMin;
    this.#followers = new Followers(this.#log);
  }

  get role(): Role {
    return this.#role;
  }

  /** Where the leader is, as far as this process knows. */
  get leaderUrl(): string | undefined {
    return this.#role === 'leader' ? this.#options.self.url : this.#leaderUrl;
  }

  /** Calls back after each change of the role. Returns the function that ends it. */
  onRole(listener: (role: Role) => void): () => void {
    this.#roleListeners.add(listener);
    return () => this.#roleListeners.delete(listener);
  }

  /** Calls back when another process leads than before, or this one, or nobody. Returns the function that ends it. */
  onLeader(listener: () => void): () => void {
    this.#leaderListeners.add(listener);
    return () => this.#leaderListeners.delete(listener);
  }

  start(): void {
    this.#ended ??= this.#live();
  }

  /** Lets what was taken become durable, gives the lease back, and ends. A database that does not answer is not waited for. */
  async stop(): Promise<void> {
    const leadership = this.#leadership;
    const { drainMsMax } = this.#timing;
    if (leadership !== undefined) await this.#within(drainMsMax, leadership.drain());
    this.#turn('stopped');
    leadership?.end('this process stops');
    this.#wake?.();
    await this.#within(drainMsMax, this.#ended);
  }

  /**
   * Leaves the cluster to another process, which should lead it rather than this one: lets what was taken become durable, gives the
   * lease back and stands by. Whoever asks meanwhile is told to ask again. Does nothing when this process does not lead.
   */
  async handOver(reason: string): Promise<void> {
    const leadership = this.#leadership;
    if (leadership === undefined) return;
    await this.#within(this.#timing.drainMsMax, leadership.drain());
    leadership.end(reason);
  }

  /** Any command, those that agents have no call for included. */
  execute<C extends Command>(command: C): Promise<ReplyOf<C>> {
    return this.#lead(({ pipeline }) => pipeline.submit(command));
  }

  /** What agents told of themselves besides that they live. There is no call for it: whoever looks at a cluster does so where it is led. */
  agentsHeard(): Promise<AgentsHeard> {
    return this.#lead(async ({ agents }) => agents.heard());
  }

  /** An agent was heard over this connection. Nothing happens while this process does not lead. */
  agentConnected(agentId: string, connection: object): void {
    this.#leadership?.agents.connected(agentId, connection);
  }

  /** The connection ended. `isBroken`: neither side closed it. */
  agentDisconnected(agentId: string, connection: object, isBroken: boolean): void {
    this.#leadership?.agents.disconnected(agentId, connection, isBroken);
  }

  /** Whether agents write events of the type; no, while this process does not lead. */
  wantsEvents(type: EventTypeName): boolean {
    return this.#leadership?.controlPlaneEvents.wants(type) ?? false;
  }

  /** A record as far as this process has read the journal, also while it stands by. Nobody may change it. */
  record(namespace: Namespace, key: string): Buffer | undefined {
    return this.#replica?.machine.records.get(namespace, key);
  }

  /**
   * The port for one request, whose commands are done once however often it comes: to this process or, after a failover, to
   * another. The id is chosen by whoever asks.
   */
  forRequest(requestId: string): ClusterPort {
    return {
      ...portOf((name, args) =>
        this.#lead((leadership) => answerCall(leadership, name, args, this.#freshId, requestId)),
      ),
      follow: (follower) => this.follow(follower),
    };
  }

  /** While this process is not the leader, the follower waits until it is. */
  follow(follower: ClusterFollower): () => void {
    return this.#followers.add(follower);
  }

  async #lead<Answer>(call: (leadership: Leadership) => Promise<Answer>): Promise<Answer> {
    const leadership = this.#leadership;
    if (leadership === undefined) throw this.#notLeader();
    if (leadership.isFree()) return call(leadership);
    // The lease has run out by our clock. Whether another process has it is known in a moment.
    return new Promise((resolve, reject) => {
      leadership.whenKnown((isValid) => {
        if (isValid) resolve(call(leadership));
        else reject(this.#notLeader());
      });
    });
  }

  /** Why this process serves no followers, and where the leader is; `undefined` while it leads. */
  notLeader(): NotLeader | undefined {
    return this.#role === 'leader' ? undefined : this.#notLeader();
  }

  #notLeader(): NotLeader {
    const { clusterId } = this.#options;
    if (this.#role === 'stopped')
      return new NotLeader(`${clusterId}: this control plane stops`, this.#leaderUrl);
    const where = this.#leaderUrl === undefined ? 'it has no leader now' : `${this.#leaderUrl} leads it`;
    return new NotLeader(`${clusterId} is not led by this control plane; ${where}`, this.#leaderUrl);
  }

  #turn(role: Role): void {
    if (this.#role === role || this.#role === 'stopped') return;
    this.#role = role;
    this.#metrics.leader.set(role === 'leader' ? 1 : 0);
    for (const listener of this.#roleListeners) listener(role);
    this.#tellOfLeader();
  }

  #heardOfLeader(url: string | undefined): void {
    if (this.#leaderUrl === url) return;
    this.#leaderUrl = url;
    this.#tellOfLeader();
  }

  #tellOfLeader(): void {
    // A listener may begin to listen again while it is told.
    for (const listener of [...this.#leaderListeners]) listener();
  }

  /** Stands by and leads by turns until it is stopped. What fails is tried again. */
  async #live(): Promise<void> {
    const { journal } = this.#options;
    const stopWatching = journal.watch(() => this.#wake?.());
    while (this.#role !== 'stopped') {
      try {
        await this.#standByAndLead();
      } catch (error) {
        this.#log.error('failed to follow cluster, retrying', { problem: String(error) });
        // What the database failed to say leaves the machine as it is. Otherwise it is made anew from the journal.
        if (this.#replica?.isSound === false || error instanceof EntriesPruned) this.#replica = undefined;
        await this.#sleep(this.#timing.retryMs, this.#timing.retryMs);
      }
    }
    stopWatching();
  }

  /** Follows the journal until the lease is ours, and then leads. */
  async #standByAndLead(): Promise<void> {
    const { clusterId, journal, self, leaseGraceMs } = this.#options;
    const { leaseTtlMs, standbyPauseMs, standbyPollMs } = this.#timing;
    while (this.#role !== 'stopped') {
      this.#replica ??= await Replica.load(this.#machines, clusterId, journal, this.#log);
      const replica = this.#replica;
      const askedMs = this.#clock.monotonicMs();
      const answer = await journal.acquireLease(self, leaseTtlMs, leaseGraceMs);
      if (answer.epoch !== undefined) {
        // The leader before has gone, and must not be told to those who ask until this process serves.
        this.#heardOfLeader(undefined);
        return this.#serve(answer.epoch, askedMs);
      }
      this.#heardOfLeader(answer.heldBy.url === '' ? undefined : answer.heldBy.url);
      if (answer.nextPosition > replica.position) await replica.catchUp(journal);
      if (replica.isSnapshotDue(false, this.#snapshotBytesMin)) this.#saveSnapshot(replica);
      const nextPollMs = untilBeatMs(this.#clock.monotonicMs(), standbyPollMs);
      await this.#sleep(standbyPauseMs, Math.min(nextPollMs, answer.retryInMs));
    }
  }

  #saveSnapshot(replica: Replica): void {
    // A standby has nothing that is not durable.
    replica
      .saveSnapshot(this.#options.journal, async () => {})
      .catch((error) => {
        this.#log.warn('failed to save snapshot', { problem: String(error) });
      });
  }

  /** Leads until that is over for whatever reason. */
  async #serve(epoch: number, askedMs: number): Promise<void> {
    const { journal } = this.#options;
    const deps = { journal, epoch, clock: this.#clock, log: this.#log, timing: this.#timing };
    const lease = new HeldLease({ ...deps, askedMs });
    const replica = this.#replica!;
    try {
      // The lease made all others unable to append, so that the end is the end.
      await replica.catchUp(journal);
      const note = await journal.readNote();
      // A slow database may have used up the lease until here. Whether it is still ours is known sooner than another one can be taken.
      const isOurs = await new Promise<boolean>((resolve) => lease.whenKnown(resolve));
      if (this.#role !== 'stopped' && isOurs) {
        const { position } = replica;
        const leadership = new Leadership({
          ...deps,
          lease,
          replica,
          note,
          metrics: this.#metrics,
          queryMetrics: this.#queryMetrics,
          eventMetrics: this.#eventMetrics,
          followers: this.#followers,
          snapshotBytesMin: this.#snapshotBytesMin,
          freshId: this.#freshId,
        });
        this.#log.info('started leading cluster', { epoch, position });
        const reason = await this.#leadUntilEnd(leadership);
        this.#log.info('stopped leading cluster', { epoch, reason });
        if (!leadership.pipeline.isClean) this.#replica = undefined;
      }
    } finally {
      lease.giveUp();
      // Nobody has to wait for the end of a lease that nobody uses. If it is not ours any more, this does nothing.
      const released = journal.releaseLease(epoch).catch((error) => {
        this.#log.warn('failed to release lease', { problem: String(error) });
      });
      await this.#within(this.#timing.drainMsMax, released);
    }
  }

  async #leadUntilEnd(leadership: Leadership): Promise<string> {
    this.#leadership = leadership;
    this.#turn('leader');
    leadership.serveFollowers();
    const reason = await leadership.ended;
    this.#leadership = undefined;
    this.#leaderUrl = undefined;
    this.#turn('standby');
    return reason;
  }

  #within(longestMs: number, work: Promise<unknown> | undefined): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(longestMs, resolve);
      Promise.resolve(work).finally(() => {
        cancel();
        resolve();
      });
    });
  }

  /** Sleeps for the longer time, or after news only for the shorter. */
  #sleep(afterNewsMs: number, longestMs: number): Promise<void> {
    const startMs = this.#clock.monotonicMs();
    return new Promise((resolve) => {
      if (this.#role === 'stopped') return resolve();
      const done = () => {
        cancel();
        this.#wake = undefined;
        resolve();
      };
      let cancel = this.#clock.after(Math.max(afterNewsMs, longestMs), done);
      this.#wake = () => {
        if (this.#role === 'stopped') return done();
        this.#wake = () => {
          if (this.#role === 'stopped') done();
        };
        cancel();
        cancel = this.#clock.after(Math.max(0, startMs + afterNewsMs - this.#clock.monotonicMs()), done);
      };
    });
  }
}

/** A uuid in the text form of Kafka. One that began with a dash would be taken for a flag on command lines. */
function freshTopicId(): string {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? freshTopicId() : id;
}
