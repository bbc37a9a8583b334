import { randomBytes } from 'node:crypto';
import {
  type ClusterFollower,
  type ClusterHealth,
  type ClusterPort,
  callPortClass,
  NotLeader,
  portOf,
  type ReceivedReports,
} from '@weir/cluster';
import { type Clock, clusterKind, type EventTypeName, type Log, type Metrics, Outage } from '@weir/core';
import { EntriesPruned, type Journal, type LeaseHolder } from '@weir/journal';
import type { Command, Namespace, ReplyOf } from '@weir/machine';
import { type EventMetrics, eventMetrics } from '../events/event-metrics.ts';
import type { ExporterSecrets } from '../jobs/exporter-secrets.ts';
import { type JobQueueMetrics, jobQueueMetrics } from '../jobs/job-queue-metrics.ts';
import type { WantedMigration } from '../jobs/migration-planner.ts';
import type { ManagedPipeline } from '../jobs/pipeline-planner.ts';
import type { ClusterTables } from '../jobs/table-planner.ts';
import { type QueryQueueMetrics, queryQueueMetrics } from '../queries/query-queue-metrics.ts';
import { SeriesBudget } from '../series/series-store.ts';
import { answerCall } from './answer-call.ts';
import { untilBeatMs } from './beat.ts';
import { CommitPipeline } from './commit-pipeline.ts';
import { Followers } from './followers.ts';
import { HeldLease } from './held-lease.ts';
import { type CommitMetrics, commitMetrics } from './leader-metrics.ts';
import { Leadership, type LinkingOptions } from './leadership.ts';
import { clusterMachines, type MachineKind } from './machine-kind.ts';
import { defaultSnapshotBytesMin, Replica } from './replica.ts';
import { defaultTiming, type Timing } from './timing.ts';
import type { TokenBox } from './token-box.ts';

export interface ClusterNodeOptions {
  readonly clusterId: string;
  readonly journal: Journal;
  /** This control-plane process. Its id is unique among live processes, and may be reused after a restart. */
  readonly self: LeaseHolder;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly timing?: Partial<Timing>;
  /** The minimum size of the journal since the last snapshot before the next one; larger states use their own size. */
  readonly snapshotBytesMin?: number;
  readonly machines?: MachineKind;
  /** Returns a unique id, for topics. */
  readonly freshId?: () => string;
  /**
   * How long this process leaves a free lease to better candidates, given the last holder; no time by default.
   * LoadSharing computes it where several processes share many clusters.
   */
  readonly leaseGraceMs?: (lastHolderId: string | undefined) => number;
  /** Shared by the clusters of a process; by default of this one alone. */
  readonly seriesBudget?: SeriesBudget;
}

/**
 * `standby`: reads the journal and waits for the lease. `leader`: serves. `stopped`: has ended.
 *
 *     standby ──lease, journal read to its end──▶ leader
 *        ▲                                          │
 *        └──fenced, lease expired, journal failed───┘        any ──stop()──▶ stopped
 */
export type Role = 'standby' | 'leader' | 'stopped';

/** Whether the database of a node may serve its cluster: a cluster that was restored is served by another one. */
export interface ServingRight {
  /** Called with all entries of the journal read. Rejects while the answer is unknown. */
  isGranted(signal: AbortSignal, epoch: number): Promise<boolean>;
  /**
   * Called when this process stops in order: all that it acknowledged in its term is in the journal before the
   * position. It has the lease until this resolves, which is soon. Never rejects.
   */
  stopped(term: { readonly epoch: number; readonly position: number }): Promise<void>;
  /**
   * Ends the cluster in this database. Called while this process has the lease and serves no call; the node then stops
   * for good. Returns the reason for callers.
   */
  withdraw(execute: <C extends Command>(command: C) => Promise<ReplyOf<C>>): Promise<string>;
}

/**
 * One cluster in one control-plane process. As a standby it maintains a machine of its own, so that it can take over at
 * once; as the leader it answers the port. Otherwise every call rejects with `NotLeader`.
 */
export class ClusterNode extends callPortClass() implements ClusterPort {
  readonly #options: ClusterNodeOptions;
  readonly #timing: Timing;
  readonly #outage: Outage;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #metrics: CommitMetrics;
  readonly #eventMetrics: EventMetrics;
  readonly #queryMetrics: QueryQueueMetrics;
  readonly #jobMetrics: JobQueueMetrics;
  readonly #machines: MachineKind;
  readonly #freshId: () => string;
  readonly #snapshotBytesMin: number;
  readonly #seriesBudget: SeriesBudget;
  #backedUpMs: (() => number) | undefined;
  #servingRight: ServingRight | undefined;
  /** Why this process could not serve when it last had the lease. */
  #servingProblem: string | undefined;
  readonly #servingProblemListeners = new Set<() => void>();
  #linking: LinkingOptions | undefined;
  #managedPipelines: (() => Promise<readonly ManagedPipeline[]>) | undefined;
  #migrations: (() => Promise<readonly WantedMigration[]>) | undefined;
  #tables: ClusterTables | undefined;
  #exporterSecrets: ExporterSecrets | undefined;
  #tokenBox: TokenBox | undefined;
  readonly #followers: Followers;
  readonly #roleListeners = new Set<(role: Role) => void>();
  readonly #leaderListeners = new Set<() => void>();
  readonly #renewalListeners = new Set<() => void>();
  #role: Role = 'standby';
  #leadership: Leadership | undefined;
  #leaderUrl: string | undefined;
  #lastRenewal = 0;
  #replica: Replica | undefined;
  #hasCaughtUp = false;
  #wake: (() => void) | undefined;
  #retiredBecause: string | undefined;
  #ended: Promise<void> | undefined;

  constructor(options: ClusterNodeOptions) {
    const { clusterId, clock, log, metrics, timing, machines } = options;
    super((name, args) => this.#lead((leadership) => answerCall(leadership, name, args, this.#freshId)));
    this.#options = options;
    this.#timing = { ...defaultTiming, ...timing };
    this.#clock = clock;
    this.#outage = new Outage(this.#clock, this.#timing.retryMs);
    this.#log = log.with({ clusterId });
    this.#metrics = commitMetrics(metrics, clusterId);
    this.#queryMetrics = queryQueueMetrics(metrics);
    this.#jobMetrics = jobQueueMetrics(metrics);
    this.#eventMetrics = eventMetrics(metrics, clusterId);
    this.#machines = machines ?? clusterMachines;
    this.#freshId = options.freshId ?? freshTopicId;
    this.#snapshotBytesMin = options.snapshotBytesMin ?? defaultSnapshotBytesMin;
    this.#seriesBudget = options.seriesBudget ?? new SeriesBudget();
    this.#followers = new Followers(this.#log);
  }

  get role(): Role {
    return this.#role;
  }

  /** Whether it has read the journal to its end since it started: it could lead at once. */
  get hasCaughtUp(): boolean {
    return this.#hasCaughtUp;
  }

  /** The address of the leader, as far as this process knows. */
  get leaderUrl(): string | undefined {
    return this.#role === 'leader' ? this.#options.self.url : this.#leaderUrl;
  }

  /** Calls the listener after each change of the role. Returns a function that removes it. */
  onRole(listener: (role: Role) => void): () => void {
    this.#roleListeners.add(listener);
    return () => this.#roleListeners.delete(listener);
  }

  /** Why the cluster is not served from this database any more, if that is so for good. */
  get retiredBecause(): string | undefined {
    return this.#retiredBecause;
  }

  /**
   * Calls the listener whenever this process had the lease and could not find out whether it may serve. Returns a
   * function that removes it.
   */
  onServingProblem(listener: () => void): () => void {
    this.#servingProblemListeners.add(listener);
    return () => this.#servingProblemListeners.delete(listener);
  }

  /**
   * Calls the listener when the leader changes: another process, this one, or none. Returns a function that removes it.
   */
  onLeader(listener: () => void): () => void {
    this.#leaderListeners.add(listener);
    return () => this.#leaderListeners.delete(listener);
  }

  /**
   * Calls the listener when this standby sees that the leader renewed its lease. Returns a function that removes it.
   */
  onLeaderRenewed(listener: () => void): () => void {
    this.#renewalListeners.add(listener);
    return () => this.#renewalListeners.delete(listener);
  }

  start(): void {
    this.#ended ??= this.#live();
  }

  /** Drains accepted commands, releases the lease, and ends. The wait for the database is limited. */
  async stop(): Promise<void> {
    const leadership = this.#leadership;
    const { drainMsMax } = this.#timing;
    if (leadership !== undefined) await this.#within(drainMsMax, leadership.drain());
    this.#turn('stopped');
    leadership?.end('process is shutting down');
    this.#wake?.();
    await this.#within(drainMsMax, this.#ended);
  }

  /**
   * From now on files are deleted only if the backup knows that they are dead. `backedUpMs` returns up to when it has
   * all entries.
   */
  keepFilesForBackup(backedUpMs: () => number): void {
    this.#backedUpMs = backedUpMs;
  }

  /** From its next term on, this node answers no call and acknowledges nothing without the right to serve. */
  serveOnlyWith(right: ServingRight): void {
    this.#servingRight = right;
  }

  /** From its next term on, this node plans syncs of these pipelines. */
  runSchemaLinking(linking: LinkingOptions): void {
    this.#linking = linking;
  }

  /** From its next term on, this node plans instances of these pipelines. */
  runPipelines(pipelines: () => Promise<readonly ManagedPipeline[]>): void {
    this.#managedPipelines = pipelines;
  }

  /** From its next term on, this node plans jobs of these migrations. */
  runMigrations(migrations: () => Promise<readonly WantedMigration[]>): void {
    this.#migrations = migrations;
  }

  /** From its next term on, this node plans jobs of these tables. */
  runTables(tables: ClusterTables): void {
    this.#tables = tables;
  }

  /** From its next term on, exporters of the cluster may use these secrets. */
  useExporterSecrets(secrets: ExporterSecrets): void {
    this.#exporterSecrets = secrets;
  }

  /** From its next term on, delegation tokens of the cluster are sealed with this. */
  useTokenBox(tokenBox: TokenBox): void {
    this.#tokenBox = tokenBox;
  }

  /** Stops for good. Callers get the reason from then on. */
  retire(reason: string): Promise<void> {
    this.#retiredBecause = reason;
    return this.stop();
  }

  /**
   * Hands the cluster over to a process that should lead it: drains accepted commands, releases the lease and becomes a
   * standby. Calls that arrive meanwhile are refused and must be retried. Does nothing if this process does not lead.
   */
  async handOver(reason: string): Promise<void> {
    const leadership = this.#leadership;
    if (leadership === undefined) return;
    await this.#within(this.#timing.drainMsMax, leadership.drain());
    leadership.end(reason);
  }

  /** Executes any command, including those without a call for agents. */
  execute<C extends Command>(command: C): Promise<ReplyOf<C>> {
    return this.#lead(({ pipeline }) => pipeline.submit(command));
  }

  /** Reports of agents. There is no call for it: readers run in the process that leads the cluster. */
  receivedReports(): Promise<ReceivedReports> {
    return this.#lead(async ({ agents }) => agents.received());
  }

  /** Notes what this process found when it checked the cluster. Does nothing if it does not lead. */
  noteHealth(health: ClusterHealth): void {
    if (this.#leadership !== undefined) this.#leadership.health = health;
  }

  /** Notes the connection of an agent's heartbeat. Does nothing if this process does not lead. */
  agentConnected(agentId: string, connection: object): void {
    this.#leadership?.agents.connected(agentId, connection);
  }

  /** Notes the end of a connection. `isBroken`: neither side closed it. */
  agentDisconnected(agentId: string, connection: object, isBroken: boolean): void {
    this.#leadership?.agents.disconnected(agentId, connection, isBroken);
  }

  /** Returns whether agents write events of the type; false if this process does not lead. */
  wantsEvents(type: EventTypeName): boolean {
    return this.#leadership?.controlPlaneEvents.wants(type) ?? false;
  }

  /** A key-value entry, as far as this process has read the journal, also as a standby. Must not be modified. */
  record(namespace: Namespace, key: string): Buffer | undefined {
    return this.#replica?.machine.kv.get(namespace, key);
  }

  /**
   * The port for one request: a repeated request returns the first answer, on this process or, after a failover,
   * another. The caller chooses the id.
   */
  forRequest(requestId: string): ClusterPort {
    return {
      ...portOf((name, args) =>
        this.#lead((leadership) => answerCall(leadership, name, args, this.#freshId, requestId)),
      ),
      follow: (follower) => this.follow(follower),
    };
  }

  /** If this process is not the leader, the follower waits until it is. */
  follow(follower: ClusterFollower): () => void {
    return this.#followers.add(follower);
  }

  #lead<Answer>(call: (leadership: Leadership) => Promise<Answer>): Promise<Answer> {
    const leadership = this.#leadership;
    if (leadership === undefined) return Promise.reject(this.#notLeader());
    if (leadership.isFree()) return call(leadership);
    // The lease has expired by our clock. Whether another process has taken it will be known soon.
    return new Promise((resolve, reject) => {
      leadership.whenKnown((isValid) => {
        if (isValid) resolve(call(leadership));
        else reject(this.#notLeader());
      });
    });
  }

  /** The reason why this process serves no followers, and the address of the leader; `undefined` if it leads. */
  notLeader(): NotLeader | undefined {
    return this.#role === 'leader' ? undefined : this.#notLeader();
  }

  get #hasStopped(): boolean {
    return this.#role === 'stopped';
  }

  #notLeader(): NotLeader {
    const { clusterId } = this.#options;
    if (this.#retiredBecause !== undefined) return new NotLeader(this.#retiredBecause, undefined);
    if (this.#role === 'stopped')
      return new NotLeader(`${clusterId}: this control plane is shutting down`, this.#leaderUrl);
    const none = `no leader now${this.#servingProblem === undefined ? '' : ` (${this.#servingProblem})`}`;
    const where = this.#leaderUrl === undefined ? none : `${this.#leaderUrl} leads it`;
    return new NotLeader(`cluster ${clusterId} is not led by this control plane; ${where}`, this.#leaderUrl);
  }

  #turn(role: Role): void {
    if (this.#role === role || this.#role === 'stopped') return;
    this.#role = role;
    this.#metrics.leader.set(role === 'leader' ? 1 : 0);
    for (const listener of this.#roleListeners) listener(role);
    this.#publishLeader();
  }

  #leaderLearned(url: string | undefined): void {
    if (this.#leaderUrl === url) return;
    this.#leaderUrl = url;
    this.#publishLeader();
  }

  /** The number starts again with each holder. */
  #renewalSeen(renewal: number): void {
    const isRenewed = renewal > this.#lastRenewal;
    this.#lastRenewal = renewal;
    if (isRenewed) for (const listener of [...this.#renewalListeners]) listener();
  }

  #publishLeader(): void {
    // A listener may subscribe again while it is called.
    for (const listener of [...this.#leaderListeners]) listener();
  }

  /** Alternates between standby and leader until it is stopped. Failures are retried. */
  async #live(): Promise<void> {
    const { journal } = this.#options;
    const stopWatching = journal.watch(() => this.#wake?.());
    while (this.#role !== 'stopped') {
      try {
        await this.#standByAndLead();
      } catch (error) {
        const fields = this.#outage.failed(error);
        if (fields !== undefined) this.#log.error('failed to follow cluster, retrying', fields);
        // A database failure leaves the machine valid. Otherwise it is rebuilt from the journal.
        if (this.#replica?.isSound === false || error instanceof EntriesPruned) this.#replica = undefined;
        await this.#sleep(this.#outage.pauseMs, this.#outage.pauseMs);
      }
    }
    stopWatching();
  }

  /** Follows the journal until this process gets the lease, and then leads. */
  async #standByAndLead(): Promise<void> {
    const { clusterId, journal, self, leaseGraceMs } = this.#options;
    const { leaseTtlMs, standbyPauseMs, standbyPollMs } = this.#timing;
    while (this.#role !== 'stopped') {
      this.#replica ??= await Replica.load(this.#machines, clusterId, journal, this.#log);
      const replica = this.#replica;
      const requestedMs = this.#clock.monotonicMs();
      const answer = await journal.acquireLease(self, leaseTtlMs, leaseGraceMs);
      const over = this.#outage.ended();
      if (over !== undefined) this.#log.info('resumed following cluster', over);
      if (answer.epoch !== undefined) {
        // The previous leader is gone, and must not be returned to callers until this process serves.
        this.#leaderLearned(undefined);
        return this.#serve(answer.epoch, requestedMs);
      }
      this.#leaderLearned(answer.heldBy.url === '' ? undefined : answer.heldBy.url);
      this.#renewalSeen(answer.renewal);
      if (answer.nextPosition > replica.position) await replica.catchUp(journal);
      this.#hasCaughtUp = true;
      if (replica.isSnapshotDue(false, this.#snapshotBytesMin)) this.#saveSnapshot(replica);
      const nextPollMs = untilBeatMs(this.#clock.monotonicMs(), standbyPollMs);
      await this.#sleep(standbyPauseMs, Math.min(nextPollMs, answer.retryInMs));
    }
  }

  #saveSnapshot(replica: Replica): void {
    // All state of a standby is durable.
    replica
      .saveSnapshot(this.#options.journal, async () => {})
      .catch((error) => {
        this.#log.warn('failed to save snapshot', { error: String(error) });
      });
  }

  /** Leads until the term ends. */
  async #serve(epoch: number, requestedMs: number): Promise<void> {
    const { journal } = this.#options;
    const deps = { journal, epoch, clock: this.#clock, log: this.#log, timing: this.#timing };
    const right = this.#servingRight;
    let isGranted = true;
    const lease = new HeldLease({ ...deps, requestedMs });
    const replica = this.#replica!;
    let isUnknown = false;
    try {
      // The lease fences all other writers, so the end of the journal is final.
      await replica.catchUp(journal);
      this.#hasCaughtUp = true;
      if (right !== undefined)
        lease.confirmBy(async (signal) => {
          isGranted = await right.isGranted(signal, epoch);
          return isGranted;
        });
      const note = await journal.readNote();
      // A slow database may have used up the lease by now. Checking whether it is still ours is faster than taking
      // another one.
      const isOurs = await new Promise<boolean>((resolve) => lease.whenKnown(resolve));
      isUnknown = !isOurs && lease.confirmProblem !== undefined;
      this.#servingProblem = isUnknown ? lease.confirmProblem : undefined;
      if (isUnknown) for (const listener of [...this.#servingProblemListeners]) listener();
      if (this.#role !== 'stopped' && !isGranted) await this.#withdraw(right!, epoch, replica);
      else if (this.#role !== 'stopped' && isOurs) {
        const { position } = replica;
        const leadership = new Leadership({
          ...deps,
          lease,
          replica,
          note,
          metrics: this.#metrics,
          queryMetrics: this.#queryMetrics,
          jobMetrics: this.#jobMetrics,
          eventMetrics: this.#eventMetrics,
          followers: this.#followers,
          snapshotBytesMin: this.#snapshotBytesMin,
          freshId: this.#freshId,
          seriesBudget: this.#seriesBudget,
          backedUpMs: () => this.#backedUpMs?.(),
          hasFiles: clusterKind(this.#options.clusterId) !== 'schema registry',
          hasTables: clusterKind(this.#options.clusterId) === 'data lake',
          exporterSecrets: this.#exporterSecrets,
          tokenBox: this.#tokenBox,
          linking: this.#linking,
          ...(this.#managedPipelines === undefined ? {} : { managedPipelines: this.#managedPipelines }),
          ...(this.#migrations === undefined ? {} : { migrations: this.#migrations }),
          ...(this.#tables === undefined ? {} : { tables: this.#tables }),
        });
        this.#log.info('started leading cluster', { epoch, position });
        const reason = await this.#leadUntilEnd(leadership);
        this.#log.info('stopped leading cluster', { epoch, reason });
        const { isClean } = leadership.pipeline;
        if (isClean && this.#hasStopped) await right?.stopped({ epoch, position: replica.position });
        if (!isClean) this.#replica = undefined;
      }
    } finally {
      lease.giveUp();
      // Releases the lease so that no process waits for its expiry. Does nothing if it is no longer ours.
      const released = journal.releaseLease(epoch).catch((error) => {
        this.#log.warn('failed to release lease', { error: String(error) });
      });
      await this.#within(this.#timing.drainMsMax, released);
    }
    // Another process may know.
    if (isUnknown) await this.#sleep(2 * this.#timing.standbyPollMs, 2 * this.#timing.standbyPollMs);
  }

  /** Ends the cluster in this database. The lease is not valid, but the journal refuses entries of an earlier epoch. */
  async #withdraw(right: ServingRight, epoch: number, replica: Replica): Promise<void> {
    const pipeline = new CommitPipeline({
      replica,
      journal: this.#options.journal,
      epoch,
      clock: this.#clock,
      log: this.#log,
      retryMs: this.#timing.retryMs,
      metrics: this.#metrics,
      isLeaseValid: () => false,
      mayAcknowledge: () => true,
      whenKnown() {},
      onChanges() {},
      onFailed() {},
    });
    try {
      this.#retiredBecause = await right.withdraw((command) => pipeline.submit(command));
      this.#turn('stopped');
    } finally {
      if (!pipeline.isClean) this.#replica = undefined;
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

  /** Sleeps for the longer time, or only for the shorter one after a notification. */
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

/** A UUID in Kafka's text form. An id with a leading dash would look like a flag on command lines. */
function freshTopicId(): string {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? freshTopicId() : id;
}
