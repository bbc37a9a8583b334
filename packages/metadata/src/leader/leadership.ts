import {
  type AgentDescription,
  type ClusterActivity,
  type ClusterHealth,
  type ClusterSnapshot,
  ClusterUnavailable,
  type CompactionBacklog,
  type MigrationSource,
  pipelineKind,
  readDelegationToken,
  type SettingToSeal,
  type StorageTraffic,
  schemaExportKind,
} from '@weir/cluster';
import { type Clock, coreLimits, type Log, seriesShortStepMs, systemRandom } from '@weir/core';
import { GroupCoordinator } from '@weir/groups';
import type { Journal } from '@weir/journal';
import { hasNodeId, loginsReceivedSince, type NodeIdRequest } from '@weir/machine';
import { machineLimits } from '@weir/machine/limits';
import { ControlPlaneEvents } from '../events/control-plane-events.ts';
import type { EventMetrics } from '../events/event-metrics.ts';
import type { AskMachine } from '../jobs/ask-machine.ts';
import { ClaimedFiles } from '../jobs/claimed-files.ts';
import { readCompactionBacklog } from '../jobs/compaction-backlog.ts';
import { deadFileScanPlanner } from '../jobs/dead-file-scan-planner.ts';
import { exporterPlanner } from '../jobs/exporter-planner.ts';
import { type ExporterSecrets, noExporterSecrets } from '../jobs/exporter-secrets.ts';
import { fileCompactionPlanner } from '../jobs/file-compaction-planner.ts';
import { fileDeletionPlanner } from '../jobs/file-deletion-planner.ts';
import { FileSequences } from '../jobs/file-sequences.ts';
import { jobEnds } from '../jobs/job-ends.ts';
import type { JobPlanner } from '../jobs/job-planner.ts';
import { JobQueue } from '../jobs/job-queue.ts';
import type { JobQueueMetrics } from '../jobs/job-queue-metrics.ts';
import { keyCompactionPlanner } from '../jobs/key-compaction-planner.ts';
import { migrationPlanners, type WantedMigration } from '../jobs/migration-planner.ts';
import { type ManagedPipeline, pipelinePlanner } from '../jobs/pipeline-planner.ts';
import { type LinkingPipeline, schemaLinkingPlanner } from '../jobs/schema-linking-planner.ts';
import { sequenceReplayPlanner } from '../jobs/sequence-replay-planner.ts';
import { type ClusterTables, tablePlanners } from '../jobs/table-planner.ts';
import { JobLeases } from '../queries/job-leases.ts';
import { QueryQueue } from '../queries/query-queue.ts';
import type { QueryQueueMetrics } from '../queries/query-queue-metrics.ts';
import { ClusterSampler } from '../series/cluster-sampler.ts';
import type { SeriesBudget } from '../series/series-store.ts';
import { Agents, type AgentsChange } from './agents.ts';
import { AutoScaler } from './auto-scaler/auto-scaler.ts';
import { checkIntervalMs } from './auto-scaler/growth.ts';
import { CommitPipeline } from './commit-pipeline.ts';
import type { Followers } from './followers.ts';
import type { HeldLease } from './held-lease.ts';
import type { CommitMetrics } from './leader-metrics.ts';
import { MigrationReports } from './migration-reports.ts';
import { MigrationStates } from './migration-states.ts';
import type { Replica } from './replica.ts';
import { runRetention } from './retention-run.ts';
import { ShutdownLocks } from './shutdown-locks.ts';
import { TableReports } from './table-reports.ts';
import type { Timing } from './timing.ts';
import { noTokenBox, type TokenBox } from './token-box.ts';

interface LeadershipOptions {
  readonly journal: Journal;
  readonly epoch: number;
  readonly lease: HeldLease;
  /** Has read the journal to its end after this process got the lease, so it is complete. */
  readonly replica: Replica;
  /** The note of the previous leader. */
  readonly note: Buffer | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing: Timing;
  readonly metrics: CommitMetrics;
  readonly queryMetrics: QueryQueueMetrics;
  readonly eventMetrics: EventMetrics;
  readonly jobMetrics: JobQueueMetrics;
  readonly followers: Followers;
  readonly snapshotBytesMin: number;
  /** Returns a unique id. */
  readonly freshId: () => string;
  /** Up to when a backup has all entries; `undefined` if there is no backup. */
  readonly backedUpMs?: () => number | undefined;
  /** Whether the cluster may have files. A schema registry has none, and its agents take no jobs on files. */
  readonly hasFiles: boolean;
  /** The pipelines of schema linking that run. */
  readonly linking?: LinkingOptions | undefined;
  /** Managed pipelines that run. If absent, none is planned. */
  readonly managedPipelines?: () => Promise<readonly ManagedPipeline[]>;
  /** Migrations that run. If absent, none is planned. */
  readonly migrations?: () => Promise<readonly WantedMigration[]>;
  /** Tables of a data lake cluster. If absent, none is planned. */
  readonly tables?: ClusterTables;
  /** Whether it is a data lake, which reads and writes tables. */
  readonly hasTables?: boolean;
  /** The secrets that exporters of the cluster may use; none if absent. */
  readonly exporterSecrets?: ExporterSecrets | undefined;
  /** Seals delegation tokens. If absent, none can be created. */
  readonly tokenBox?: TokenBox | undefined;
  readonly seriesBudget: SeriesBudget;
}

export interface LinkingOptions {
  readonly pipelines: () => Promise<readonly LinkingPipeline[]>;
  /** Called with each sync that was done or failed. */
  readonly onEnd?: JobPlanner['onEnd'];
}

/** One term as leader: from the end of the journal to the loss of the lease. */
export class Leadership {
  readonly pipeline: CommitPipeline;
  readonly agents: Agents;
  readonly shutdownLocks: ShutdownLocks;
  readonly jobLeases: JobLeases;
  readonly fileSequences: FileSequences;
  readonly jobs: JobQueue;
  readonly queries: QueryQueue;
  readonly tables: TableReports;
  readonly migrations: MigrationReports;
  readonly migrationStates: MigrationStates;
  readonly controlPlaneEvents: ControlPlaneEvents;
  readonly groups: GroupCoordinator;
  readonly autoScaler: AutoScaler;
  readonly series: ClusterSampler;
  /** Resolves with the reason when the term ends. */
  readonly ended: Promise<string>;
  readonly #options: LeadershipOptions;
  #isOver = false;
  #isRetentionRunning = false;
  #resolveEnded: (reason: string) => void = () => {};
  readonly #timers = new Map<string, () => void>();
  /** The ids of the listed agents. */
  #namedAgents: Set<string>;
  #dirtyRatioMax: number | undefined;
  /** As this process last found it. */
  health: ClusterHealth = { diagnostics: [] };
  #followerSnapshot: { position: number; snapshot: Omit<ClusterSnapshot, 'agents'> } | undefined;

  constructor(options: LeadershipOptions) {
    const { journal, epoch, lease, replica, clock, log, timing, metrics, followers } = options;
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    const loginsReceivedSinceMs = loginsReceivedSince(replica.machine.kv);
    const nodeIds = {
      has: (agentId: string, nodeId: number) => hasNodeId(replica.machine.kv, agentId, nodeId),
      assign: (request: NodeIdRequest) => this.#assignNodeId(request),
    };
    this.agents = new Agents({ clock, log, nodeIds, loginsReceivedSinceMs }, (change) =>
      this.#onAgents(change),
    );
    this.shutdownLocks = new ShutdownLocks(clock);
    this.jobLeases = new JobLeases(clock);
    this.queries = new QueryQueue({
      clock,
      agents: { cpuLoadOf: (agentId) => this.agents.cpuLoadOf(agentId) },
      metrics: options.queryMetrics,
    });
    this.tables = new TableReports(clock);
    this.migrations = new MigrationReports(clock);
    this.migrationStates = new MigrationStates({
      machine: replica.machine,
      agents: this.agents,
      clock,
      term: epoch,
    });
    this.controlPlaneEvents = new ControlPlaneEvents({
      queueId: String(epoch),
      clusterConfigs: () => replica.machine.clusterConfigs(),
      metrics: options.eventMetrics,
      clock,
    });
    this.#takeOverAgents();
    this.#namedAgents = new Set(this.agents.list().map(({ agentId }) => agentId));
    this.pipeline = new CommitPipeline({
      replica,
      journal,
      epoch,
      clock,
      log,
      retryMs: timing.retryMs,
      metrics,
      isLeaseValid: () => this.isValid(),
      mayAcknowledge: () => lease.mayAcknowledge(),
      whenKnown: (listener) => this.whenKnown(listener),
      onChanges: (changes) => {
        followers.push(changes);
        this.groups.onChanges(changes);
        if (changes.some(({ kind }) => kind === 'registry')) this.jobs.planSoon(schemaExportKind);
      },
      onFailed: (error) => this.end(error.message),
    });
    this.groups = new GroupCoordinator({
      machine: replica.machine,
      submit: (command) => this.pipeline.submit(command),
      ask: (question) => this.pipeline.ask(question),
      clock,
      log,
      freshId: options.freshId,
      term: epoch,
    });
    this.fileSequences = new FileSequences({
      machine: replica.machine,
      ask: (question) => this.pipeline.ask(question),
      submit: (command) => this.pipeline.submit(command),
      clock,
    });
    this.jobs = new JobQueue({
      planners: [
        ...(options.hasFiles ? this.#filePlanners() : []),
        exporterPlanner((question) => this.pipeline.ask(question), options.exporterSecrets),
        ...(options.linking === undefined
          ? []
          : [schemaLinkingPlanner(options.linking.pipelines, options.linking.onEnd)]),
        ...(options.tables === undefined ? [] : tablePlanners(options.tables, this.tables, systemRandom)),
        ...(options.migrations === undefined ? [] : migrationPlanners(options.migrations)),
        ...(options.managedPipelines === undefined
          ? []
          : [
              pipelinePlanner(
                options.managedPipelines,
                jobEnds(
                  pipelineKind,
                  (question) => this.pipeline.ask(question),
                  (command) => this.pipeline.submit(command),
                ),
              ),
            ]),
      ],
      clock,
      log,
      agents: {
        cpuLoadOf: (agentId) => this.agents.cpuLoadOf(agentId),
        groupOf: (agentId) => this.agents.groupOf(agentId),
      },
      metrics: options.jobMetrics,
      term: epoch,
      earlierAgents: [...this.#namedAgents],
    });
    this.#every('sweep', timing.agentSweepMs, () => {
      this.agents.sweep();
      this.#saveSnapshotIfDue();
    });
    this.#every('logins', timing.loginNoteMs, () => this.#noteLogins());
    this.#every('purge', timing.purgeIntervalMs, () => {
      this.pipeline.submit({ kind: 'purge' }).catch((error) => {
        log.warn('failed to purge expired state', { error: String(error) });
      });
    });
    this.#every('migrations', timing.transactionSweepMs, () => {
      this.#expireMigrationStates().catch((error) => {
        log.warn('failed to end states of managed topics', { error: String(error) });
      });
    });
    this.#every('transactions', timing.transactionSweepMs, () => {
      this.#expireTransactions().catch((error) => {
        log.warn('failed to abort expired transactions', { error: String(error) });
      });
    });
    this.autoScaler = new AutoScaler(replica.machine, clock);
    this.#every('retention', timing.retentionIntervalMs, () => this.#applyRetention());
    this.#every('autoScaler', checkIntervalMs, () => this.#scalePartitions());
    this.series = new ClusterSampler({
      machine: replica.machine,
      agents: this.agents,
      groups: this.groups,
      instances: () => this.jobs.runningInstances(),
      tables: options.hasTables === true ? () => this.tables.list() : undefined,
      budget: options.seriesBudget,
      clock,
    });
    this.#sampleAt(clock.nowMs() % seriesShortStepMs);
    lease.onLost((reason) => this.end(reason));
  }

  #filePlanners(): readonly JobPlanner[] {
    const { clock, backedUpMs } = this.#options;
    const ask: AskMachine = (question) => this.pipeline.ask(question);
    const [mergeClaims, keyClaims] = [new ClaimedFiles(), new ClaimedFiles()];
    return [
      sequenceReplayPlanner(this.fileSequences),
      fileDeletionPlanner(ask, backedUpMs),
      keyCompactionPlanner({
        ask,
        clock,
        merged: mergeClaims,
        claims: keyClaims,
        onPlanned: (dirtyRatioMax) => {
          this.#dirtyRatioMax = dirtyRatioMax;
        },
      }),
      fileCompactionPlanner({ ask, clock, claims: mergeClaims, others: keyClaims }),
      deadFileScanPlanner(ask, clock.nowMs()),
    ];
  }

  /** Wall-clock time of this process. */
  nowMs(): number {
    return this.#options.clock.nowMs();
  }

  /** Refuses new commands; resolves when the accepted ones are durable or refused. */
  drain(): Promise<void> {
    if (this.isValid()) this.#noteLogins();
    return this.pipeline.drain();
  }

  async #assignNodeId(request: NodeIdRequest): Promise<number> {
    const { nodeId, message } = await this.pipeline.submit({ kind: 'assignNodeId', request });
    if (nodeId === undefined)
      throw new ClusterUnavailable(`failed to assign a node id to the agent: ${message}`);
    return nodeId;
  }

  #noteLogins(): void {
    const { log } = this.#options;
    const { logins: reports } = this.agents;
    const logins = reports.takeLogins();
    const putBack = (problem: string) => {
      reports.putBackLogins(logins);
      log.warn('failed to store logins', { error: problem });
    };
    this.pipeline.submit({ kind: 'noteLogins', logins }).then(
      ({ message }) => {
        if (message !== null) putBack(message);
      },
      (error) => putBack(String(error)),
    );
  }

  #applyRetention(): void {
    const { clock, log } = this.#options;
    if (this.#isRetentionRunning) return;
    this.#isRetentionRunning = true;
    runRetention((command) => this.pipeline.submit(command), clock)
      .catch((error) => log.warn('failed to apply retention', { error: String(error) }))
      .finally(() => {
        this.#isRetentionRunning = false;
      });
  }

  #scalePartitions(): void {
    const { log } = this.#options;
    const topics = this.autoScaler.check();
    if (topics.length === 0) return;
    this.pipeline.submit({ kind: 'createPartitions', topics, validateOnly: false }).then(
      (results) => {
        for (const [index, { error, message }] of results.entries()) {
          const { name, partitionCount } = topics[index]!;
          if (error === 'NONE') log.info('added partitions to topic', { topic: name, partitionCount });
          else log.warn('failed to add partitions to topic', { topic: name, partitionCount, message });
        }
      },
      (error) => log.warn('failed to add partitions to topics', { error: String(error) }),
    );
  }

  /** Whether no other process can be the leader yet, by our clock. */
  isValid(): boolean {
    return !this.#isOver && this.#options.lease.isValid();
  }

  /** Whether a call may be answered at once. */
  isFree(): boolean {
    return !this.#isOver && this.#options.lease.isFree();
  }

  /** Calls the listeners in order when it is known whether this process still leads. */
  whenKnown(listener: (isValid: boolean) => void): void {
    this.#options.lease.whenKnown(listener);
  }

  serveFollowers(): void {
    if (this.#isOver) return;
    this.#options.followers.begin((deliver) =>
      // A leader whose lease has lapsed may not know yet what another one has decided.
      this.whenKnown((isValid) => {
        if (!isValid) return;
        const snapshot = this.#snapshot();
        // Agents are soft state with changes of their own, so the list is taken at the time of delivery.
        this.pipeline.afterNow(() =>
          deliver({ ...snapshot, agents: this.agents.list(), term: this.#options.epoch }),
        );
      }),
    );
  }

  end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.lease.giveUp();
    for (const cancel of this.#timers.values()) cancel();
    this.#options.followers.pause();
    this.pipeline.fail(new Error(reason));
    this.agents.close();
    this.series.close();
    this.controlPlaneEvents.close();
    this.groups.close(`this control plane no longer leads: ${reason}`);
    this.jobs.close(`this control plane no longer leads: ${reason}`);
    this.queries.close(`this control plane no longer leads: ${reason}`);
    this.#resolveEnded(reason);
  }

  /** Many followers start at once after a failover; they share one snapshot. */
  #snapshot(): Omit<ClusterSnapshot, 'agents'> {
    const { machine, position } = this.#options.replica;
    if (this.#followerSnapshot?.position !== position)
      this.#followerSnapshot = { position, snapshot: machine.snapshotForFollowers() };
    return this.#followerSnapshot.snapshot;
  }

  #takeOverAgents(): void {
    const { note, log } = this.#options;
    if (note === undefined) return;
    try {
      this.agents.takeOver(note);
    } catch (error) {
      log.warn('failed to read agent list of previous leader', { error: String(error) });
    }
  }

  #onAgents(change: AgentsChange): void {
    if (this.#isOver) return;
    const { journal, epoch, followers, timing, log } = this.#options;
    const agents = this.agents.list();
    followers.push([{ kind: 'agents', agents }]);
    if (change === 'agents') this.#updateGroups(agents);
    // The next leader learns loads soon enough, and with many clusters they would be most of the writes of the
    // database.
    if (change === 'loads' || this.#timers.has('note')) return;
    this.#after('note', timing.agentSweepMs, () => {
      journal.leaveNote(epoch, this.agents.note()).catch((error) => {
        log.warn('failed to store agent list for next leader', { error: String(error) });
      });
    });
  }

  /** Notifies groups of agents that are gone, and with them the members that waited there. */
  #updateGroups(agents: readonly AgentDescription[]): void {
    const gone = this.#namedAgents;
    this.#namedAgents = new Set(agents.map(({ agentId }) => agentId));
    for (const agentId of this.#namedAgents) gone.delete(agentId);
    if (gone.size > 0) this.groups.onAgentsGone(gone);
  }

  /** After a pause there may be more than one entry can hold. */
  async #expireTransactions(): Promise<void> {
    const { aborted, forgottenIds } = await this.pipeline.submit({ kind: 'expireTransactions' });
    if (Math.max(aborted, forgottenIds) >= machineLimits.expiredTransactionsPerCallMax)
      await this.#expireTransactions();
  }

  async #expireMigrationStates(): Promise<void> {
    const count = await this.pipeline.submit({ kind: 'expireMigrationStates' });
    if (count >= machineLimits.expiredMigrationsPerCallMax) await this.#expireMigrationStates();
  }

  #saveSnapshotIfDue(): void {
    const { replica, journal, log, snapshotBytesMin } = this.#options;
    if (!replica.isSnapshotDue(true, snapshotBytesMin)) return;
    const whenDurable = () => this.pipeline.ask(() => {});
    replica.saveSnapshot(journal, whenDurable).catch((error) => {
      log.warn('failed to save snapshot', { error: String(error) });
    });
  }

  #after(name: string, delayMs: number, run: () => void): void {
    const cancel = this.#options.clock.after(delayMs, () => {
      this.#timers.delete(name);
      run();
    });
    this.#timers.set(name, cancel);
  }

  async openMigrationSource(pipelineId: string): Promise<MigrationSource | null> {
    const running = await this.#options.migrations?.();
    const found = running?.find(({ task }) => task.pipelineId === pipelineId);
    if (found === undefined) return null;
    const { configurationId, secretsDigest, yaml } = found.task;
    return { configurationId, secretsDigest, yaml, secrets: (await found.openSecrets?.()) ?? {} };
  }

  /** Those of some secrets that exporters may not use. */
  async unusableSecrets(names: readonly string[]): Promise<readonly string[]> {
    if (names.length > coreLimits.secretReferencesMax) throw new RangeError('too many names of secrets');
    const { exporterSecrets = noExporterSecrets } = this.#options;
    const known = await exporterSecrets.revisions(names);
    return names.filter((name) => !known.has(name));
  }

  /** Seals secrets in the config of an exporter; `null` without sealing keys. */
  async sealSettings(
    exporter: string,
    settings: readonly SettingToSeal[],
  ): Promise<readonly string[] | null> {
    if (settings.length > coreLimits.secretReferencesMax) throw new RangeError('too many secrets to seal');
    const { exporterSecrets = noExporterSecrets } = this.#options;
    return (await exporterSecrets.seal(exporter, settings)) ?? null;
  }

  /** Seals the HMAC of a delegation token; `undefined` without sealing keys. */
  sealToken(tokenId: string, hmac: Uint8Array): Promise<string | undefined> {
    const { tokenBox = noTokenBox } = this.#options;
    return tokenBox.seal(tokenId, hmac);
  }

  /** Returns the HMACs of delegation tokens, `null` for those that are gone or cannot be opened. */
  async openTokens(tokenIds: readonly string[]): Promise<(Uint8Array | null)[]> {
    if (tokenIds.length > machineLimits.delegationTokensMax) throw new RangeError('too many tokens');
    const { tokenBox = noTokenBox } = this.#options;
    const sealed = await this.pipeline.ask(({ kv }) =>
      tokenIds.flatMap((tokenId) => {
        const value = kv.get('delegationToken', tokenId);
        return value === undefined ? [] : [{ tokenId, sealedHmac: readDelegationToken(value).sealedHmac }];
      }),
    );
    const opened = await tokenBox.open(sealed);
    const hmacs = new Map(sealed.map(({ tokenId }, index) => [tokenId, opened[index]]));
    return tokenIds.map((tokenId) => hmacs.get(tokenId) ?? null);
  }

  storageTraffic(spanMs: number): StorageTraffic {
    return { ...this.agents.traffic.read(spanMs), dirtyRatioMax: this.#dirtyRatioMax };
  }

  activity(groupsMax: number): ClusterActivity {
    return {
      groupCount: this.groups.count(),
      ...this.series.activity(groupsMax),
      lostAgents: this.agents.lost().map(({ agentId, lastSeenMs }) => ({ agentId, lastSeenMs })),
    };
  }

  /**
   * Samples once per step. Clusters have phases of their own, so that they do not work all at once; no phase is near
   * the end of a step, where a late timer would miss it.
   */
  #sampleAt(phaseMs: number): void {
    const { clock } = this.#options;
    const wantedMs = Math.min(Math.max(phaseMs, seriesShortStepMs * 0.1), seriesShortStepMs * 0.7);
    const sinceMs = (clock.nowMs() - wantedMs) % seriesShortStepMs;
    this.#after('series', seriesShortStepMs - sinceMs, () => {
      this.#sampleAt(phaseMs);
      this.series.sample();
    });
  }

  /** What compaction should have done before a time. */
  compactionBacklog(beforeMs: number): Promise<CompactionBacklog> {
    return readCompactionBacklog((question) => this.pipeline.ask(question), this.#options.clock, beforeMs);
  }

  #every(name: string, intervalMs: number, run: () => void): void {
    this.#after(name, intervalMs, () => {
      this.#every(name, intervalMs, run);
      run();
    });
  }
}
