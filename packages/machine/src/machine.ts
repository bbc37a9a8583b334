import type {
  BatchesAnswer,
  BatchesQuery,
  ClusterChange,
  ClusterSnapshot,
  CommittedOffset,
  CompactionJob,
  DeletedTopic,
  FilePointers,
  FileState,
  LateLevel,
  LatePartition,
  ListedTransaction,
  LogSizes,
  ManagedTopicsQuery,
  OffsetAnswer,
  OffsetQuery,
  ProducersAnswer,
  RegistryEntryChange,
  RegistryPage,
  RegistryReadRequest,
  ResourceCounts,
  RetentionEstimatePart,
  RetentionEstimatePlace,
  RetentionEstimateRequest,
  StoredConfigKind,
  StoredConfigResource,
  TopicDescription,
  TopicPartition,
  TopicReference,
  TopicsWithEnds,
  TransactionDescription,
  TransactionFilter,
} from '@weir/cluster';
import { storedConfigNames, storedConfigs } from './alter-configs.ts';
import { applyEntry } from './apply-entry.ts';
import { ClusterState } from './cluster-state.ts';
import { type Command, MalformedCommand, type ReplyOf } from './command.ts';
import { CommandWork, executors, type Outcome } from './execute-command.ts';
import { becomeClone } from './files/become-clone.ts';
import { compactionBacklog } from './files/compaction-backlog.ts';
import { isOfOpenSequence } from './files/file-sequences.ts';
import { planCompaction } from './files/plan-compaction.ts';
import {
  type KeyCompactionPlan,
  type KeyPlanExclusions,
  keyCompactionBacklog,
  planKeyCompaction,
} from './files/plan-key-compaction.ts';
import { pointersOfFiles } from './files/pointers-of-files.ts';
import type { KeyValueStore } from './kv/key-value-store.ts';
import type { DeadFile, LevelTotals } from './log/file-table.ts';
import { findBatches, findOffset } from './log/find.ts';
import { estimateRetention } from './log-start/estimate-retention.ts';
import { defaultLimits, type MachineLimits } from './machine-limits.ts';
import { type ManagedTopicEnds, managedTopics } from './migration/list-managed-topics.ts';
import { fetchOffsets, type GroupOffsetsQuery } from './offsets/fetch-offsets.ts';
import {
  type GroupProgress,
  groupProgress,
  type TopicGrowth,
  topicGrowth,
} from './offsets/group-progress.ts';
import type { Offsets } from './offsets/offsets.ts';
import { readRegistry } from './registry/read-registry.ts';
import {
  decodeAnswer,
  encodeAnswer,
  rememberRequest,
  requestKey,
  requestsToForget,
  writeRequestAnswered,
} from './replies/answered-requests.ts';
import { beginSave, restoreState, type Saving } from './snapshot/snapshot.ts';
import { listDeletedTopics } from './topics/restore-topics.ts';
import { topicColumns } from './topics/topic-columns.ts';
import type { Topic } from './topics/topics.ts';
import { describeProducers, describeTransaction, listTransactions } from './transactions/describe.ts';

interface Execution<C extends Command> {
  /** Must be in the journal before the reply is sent; `undefined` if nothing changed. */
  readonly entry: Buffer | undefined;
  readonly reply: ReplyOf<C>;
  /** Changes for followers. They may be sent only once the entry is in the journal. */
  readonly changes: readonly ClusterChange[];
}

interface DeadFilesQuery {
  /** Files that died before this. */
  readonly deadBeforeMs: number;
  readonly limit: number;
}

/** A clone for which files are held. */
interface HoldSummary {
  readonly cloneId: string;
  readonly heldMs: number;
  readonly state: 'open' | 'confirmed' | 'abandoned';
  readonly files: number;
}

interface FileStats {
  /** Referenced files by level, up to the highest one that has files. */
  readonly levels: readonly LevelTotals[];
  readonly deadFiles: number;
  readonly deadBytes: number;
}

/** Sizes of everything that can grow. */
interface MachineStats {
  readonly livePartitions: number;
  /** Including those of deleted topics. */
  readonly heldPartitions: number;
  readonly pointers: number;
  /** Bytes that the pointers cover in files. */
  readonly logBytes: number;
  /** Memory of the pointers, including the unused ends of their chunks. */
  readonly pointerBytes: number;
  /** Files that pointers refer to. */
  readonly files: number;
  readonly deadFiles: number;
  /** Deleted files whose ids are remembered. */
  readonly deletedFiles: number;
  /** Producer states: producers counted per partition. */
  readonly producers: number;
  readonly recentFiles: number;
  readonly recentRequests: number;
  readonly records: number;
  readonly recordBytes: number;
  readonly committedOffsets: number;
  readonly transactionalIds: number;
  readonly openTransactions: number;
  readonly registryEntries: number;
  readonly registryBytes: number;
}

/**
 * The authoritative state of one virtual cluster: a state machine without I/O, clock or randomness.
 *
 * `execute` decides and applies at once, so that commands that wait for the same journal append see each other. The
 * result is final only when its entry is in the journal: answers to reads made in between must wait for it too. A
 * machine whose entry could not be appended is ahead of the journal and must be discarded.
 */
export class ClusterMachine {
  readonly #state: ClusterState;
  readonly #limits: MachineLimits;
  readonly #work: CommandWork;

  private constructor(state: ClusterState, limits: MachineLimits) {
    this.#state = state;
    this.#limits = limits;
    this.#work = new CommandWork(state, limits);
  }

  static empty(clusterId: string, limits: MachineLimits = defaultLimits): ClusterMachine {
    return new ClusterMachine(new ClusterState(clusterId), limits);
  }

  /**
   * Restores a machine. Throws `UnreadableBytes` if the bytes are not a complete snapshot of a version that this
   * release reads.
   */
  static restore(bytes: Buffer, limits: MachineLimits = defaultLimits): ClusterMachine {
    return new ClusterMachine(restoreState(bytes), limits);
  }

  get clusterId(): string {
    return this.#state.clusterId;
  }

  /** The time of the last entry, 0 before the first one. No later entry has an earlier time. */
  get lastEntryMs(): number {
    return this.#state.nowMs;
  }

  /**
   * Decides and applies a command. Throws `MalformedCommand` without any change if the command is malformed: an error
   * of the caller.
   *
   * With a request id the command is executed once; a repeated request returns the first answer. Files have their own
   * ids, so commits need no request id.
   */
  execute<C extends Command>(command: C, nowMs: number, requestId?: string): Execution<C> {
    if (!Number.isSafeInteger(nowMs) || nowMs < 0) throw new MalformedCommand(`${nowMs} is not a valid time`);
    if (requestId === undefined || command.kind === 'commitFiles') return this.#run(command, nowMs);
    const key = requestKey(command, requestId, this.#limits);
    const first = this.#state.recentRequests.get(key);
    if (first !== undefined) {
      return { entry: undefined, reply: decodeAnswer(first) as ReplyOf<C>, changes: [] };
    }
    const execution = this.#run(command, nowMs);
    if (execution.entry === undefined) return execution;
    return { ...execution, entry: this.#answered(key, execution.entry, execution.reply) };
  }

  #run<C extends Command>(command: C, nowMs: number): Execution<C> {
    const run = executors[command.kind] as (
      work: CommandWork,
      command: C,
      nowMs: number,
    ) => Outcome<C['kind']>;
    // If the leader's clock is behind that of its predecessor, the time of the last entry is used until the clock has
    // caught up.
    const { reply, entry, changes = [] } = run(this.#work, command, Math.max(nowMs, this.#state.nowMs));
    return { entry, reply, changes };
  }

  /** Wraps the entry of an applied command with its answer. */
  #answered(key: string, done: Buffer, reply: unknown): Buffer {
    const { nowMs } = this.#state;
    const answer = encodeAnswer(reply);
    const forgotten = requestsToForget(this.#state, this.#limits, answer.length, nowMs);
    const { writer } = this.#work;
    this.#work.begin('requestAnswered', nowMs);
    writeRequestAnswered(writer, key, forgotten, answer);
    writer.raw(done);
    rememberRequest(this.#state, key, forgotten, answer);
    return writer.take();
  }

  /** Applies an entry of another machine's `execute`; see `applyEntry`. */
  apply(entry: Buffer): readonly ClusterChange[] {
    return applyEntry(this.#state, entry);
  }

  findBatches(queries: readonly BatchesQuery[]): BatchesAnswer[] {
    return queries.map((query) => findBatches(this.#state, this.#limits, query));
  }

  findOffsets(queries: readonly OffsetQuery[]): OffsetAnswer[] {
    return queries.map((query) => findOffset(this.#state, query));
  }

  describeTransactions(transactionalIds: readonly string[]): TransactionDescription[] {
    return transactionalIds.map((transactionalId) => describeTransaction(this.#state, transactionalId));
  }

  listTransactions(filter: TransactionFilter, nowMs: number): ListedTransaction[] {
    return listTransactions(this.#state, filter, nowMs);
  }

  describeProducers(partitions: readonly TopicPartition[]): ProducersAnswer[] {
    return partitions.map((partition) => describeProducers(this.#state, partition));
  }

  storedConfigs({ kind, name }: StoredConfigResource): Readonly<Record<string, string>> {
    return storedConfigs(this.#state, kind, name);
  }

  storedConfigNames(kind: StoredConfigKind): string[] {
    return storedConfigNames(this.#state, kind);
  }

  logSizes(topicIds: readonly string[]): LogSizes {
    const logs = topicIds.map((topicId) => this.#state.topics.byId(topicId)?.partitions ?? []);
    return {
      partitionCount: Uint32Array.from(logs, ({ length }) => length),
      byteCount: Float64Array.from(logs.flat(), ({ byteCount }) => byteCount),
    };
  }

  /** Counts what retention would remove if configs were altered; see `estimateRetention`. */
  estimateRetention(
    request: RetentionEstimateRequest,
    from: RetentionEstimatePlace,
    nowMs: number,
  ): RetentionEstimatePart {
    return estimateRetention(this.#state, this.#limits, request, from, Math.max(nowMs, this.#state.nowMs));
  }

  /** Returns the number of referenced files by level. */
  countFiles(): readonly number[] {
    const counts = this.#state.files.levels().map(({ files }) => files);
    return counts.length === 0 ? [0] : counts;
  }

  /** Returns dead files that died before a time and may be deleted, the first to die first. */
  deadFiles({ deadBeforeMs, limit }: DeadFilesQuery): DeadFile[] {
    return this.#state.files.deadFiles(
      deadBeforeMs,
      limit,
      (fileId) => !isOfOpenSequence(this.#state, fileId),
    );
  }

  /**
   * Returns those of the files that are neither referenced nor dead. Files that are uploaded but not committed yet are
   * among them.
   */
  unknownFiles(fileIds: readonly string[]): string[] {
    return fileIds.filter((fileId) => this.#state.files.slotOf(fileId) < 0);
  }

  /** Returns what is known of each file. */
  fileStates(fileIds: readonly string[]): FileState[] {
    return fileIds.map((fileId) => this.#state.files.stateOf(fileId));
  }

  /** Returns files whose id ends with some bytes, and all pointers into them; see `pointersOfFiles`. */
  pointersOfFiles(firstByte: number, endByte: number): FilePointers {
    return pointersOfFiles(this.#state, firstByte, endByte);
  }

  /** Returns totals of the files, which are kept and cost nothing to read. */
  fileStats(): FileStats {
    const { files } = this.#state;
    return { levels: files.levels(), deadFiles: files.dead.count, deadBytes: files.deadBytes };
  }

  /** Returns the clones of the cluster for which files are held, the oldest first. */
  holds(): HoldSummary[] {
    return this.#state.files.holds.all().map(({ cloneId, heldMs, state, slots }) => ({
      cloneId,
      heldMs,
      state,
      files: slots.count,
    }));
  }

  /** Returns the ids of the files that a clone holds. */
  heldFiles(cloneId: string): string[] {
    const { files } = this.#state;
    return Array.from(files.holds.get(cloneId)?.slots ?? [], (slot) => files.fileId(slot));
  }

  /** Returns foreign files that lost their last pointer before a time, the first one first. */
  unneededFiles({ deadBeforeMs, limit }: DeadFilesQuery): string[] {
    return this.#state.files.unneededFiles(deadBeforeMs, limit);
  }

  /**
   * Turns this machine into that of a clone, which has no journal yet: `beginSave` gives its first snapshot. It must
   * not be used for the cluster any more.
   */
  becomeClone(cloneId: string, nowMs: number): void {
    becomeClone(this.#state, cloneId, nowMs);
  }

  /**
   * Changes entries of the schema registry after a restore that has lost later changes, beyond any limit. Readers of
   * before have to read all entries anew. There is no journal yet: `beginSave` gives the first snapshot.
   */
  renewRegistry(changes: readonly RegistryEntryChange[]): void {
    const { registry } = this.#state;
    for (const { key, value } of changes) registry.change(key, value);
    registry.renew();
  }

  /**
   * Plans compactions, in steps of some milliseconds: every `next` is one, and the last returns the jobs. Commands may
   * be executed between steps. Files of jobs that run are left out.
   */
  planCompaction(nowMs: number, excludedFileIds: ReadonlySet<string>): Generator<void, CompactionJob[]> {
    return planCompaction(this.#state, this.#limits, Math.max(nowMs, this.#state.nowMs), excludedFileIds);
  }

  /** Finds files that should have been merged before a time, in steps as `planCompaction`. */
  compactionBacklog(beforeMs: number): Generator<void, LateLevel[]> {
    return compactionBacklog(this.#state.files, this.#limits, beforeMs);
  }

  /** Finds partitions whose keys should have been compacted before a time, in steps as `planCompaction`. */
  keyCompactionBacklog(beforeMs: number): Generator<void, LatePartition[]> {
    return keyCompactionBacklog(this.#state, this.#limits, beforeMs);
  }

  /** Plans compactions of keys, in steps as `planCompaction`. */
  planKeyCompaction(nowMs: number, exclusions: KeyPlanExclusions): Generator<void, KeyCompactionPlan> {
    return planKeyCompaction(this.#state, this.#limits, Math.max(nowMs, this.#state.nowMs), exclusions);
  }

  /** Yields live topics in order of creation. */
  *topics(): Generator<TopicDescription> {
    for (const { description } of this.#state.topics.live()) yield description;
  }

  topicByName(name: string): TopicDescription | undefined {
    return this.#state.topics.byName(name)?.description;
  }

  topicById(topicId: string): TopicDescription | undefined {
    return this.#state.topics.byId(topicId)?.description;
  }

  /** Returns `null` for topics that do not exist. */
  describeTopics(references: readonly TopicReference[]): (TopicDescription | null)[] {
    return references.map((reference) => this.#live(reference)?.description ?? null);
  }

  /** Omits topics that do not exist. */
  describePartitions(references: readonly TopicReference[]): TopicsWithEnds {
    const topics = new Set(references.map((reference) => this.#live(reference)));
    topics.delete(undefined);
    const found = [...topics] as Topic[];
    return topicColumns(
      found,
      found.reduce((sum, { partitions }) => sum + partitions.length, 0),
    );
  }

  #live({ topicId, name }: TopicReference): Topic | undefined {
    const { topics } = this.#state;
    return topicId === undefined ? topics.byName(name ?? '') : topics.byId(topicId);
  }

  countResources(): ResourceCounts {
    const { topics, kv } = this.#state;
    return {
      topics: topics.liveCount,
      partitions: topics.livePartitionCount,
      acls: kv.of('acl').size,
      clientQuotas: kv.of('clientQuota').size,
      credentials: kv.of('credential').size,
    };
  }

  /** Yields live topics with the sums of their end offsets. */
  topicGrowth(): Generator<TopicGrowth | undefined> {
    return topicGrowth(this.#state);
  }

  /** Yields the topics that a migration manages or has handed over, with the ends of their partitions. */
  managedTopics(query: ManagedTopicsQuery): Generator<ManagedTopicEnds> {
    return managedTopics(this.#state, query);
  }

  /** Returns how far a group is, by topic. */
  groupProgress(groupId: string): GroupProgress[] {
    return groupProgress(this.#state, groupId);
  }

  /** Yields the names of live topics in order of creation. */
  *topicNames(): Generator<string> {
    for (const { description } of this.#state.topics.live()) yield description.name;
  }

  /** Returns the number of a live topic. */
  topicNumber(topicId: string): number | undefined {
    return this.#state.topics.byId(topicId)?.number;
  }

  /** Includes deleted topics until they are removed. */
  topicByNumber(number: number): TopicDescription | undefined {
    return this.#state.topics.byNumber(number)?.description;
  }

  /** Returns deleted topics that can be restored, the most recently deleted first. */
  deletedTopics(nowMs: number): DeletedTopic[] {
    return listDeletedTopics(this.#state, Math.max(nowMs, this.#state.nowMs));
  }

  fetchOffsets(query: GroupOffsetsQuery): CommittedOffset[] {
    return fetchOffsets(this.#state, query);
  }

  /** Read-only. */
  get kv(): Pick<KeyValueStore, 'get' | 'of' | 'count' | 'bytes'> {
    return this.#state.kv;
  }

  /** Read-only. */
  get offsets(): Pick<Offsets, 'of' | 'countOf' | 'hasGroup' | 'groupIds' | 'isPending' | 'hasPendingGroup'> {
    return this.#state.offsets;
  }

  /** The revision of the last change of the schema registry. */
  get registryRevision(): number {
    return this.#state.registry.revision;
  }

  /** Returns entries of the schema registry that changed after a revision. */
  readRegistry(request: RegistryReadRequest): RegistryPage {
    return readRegistry(this.#state.registry, this.#limits, request);
  }

  clusterConfigs(): Readonly<Record<string, string>> {
    return this.#state.clusterConfigs;
  }

  /** Returns the sizes of the state, for metrics. */
  stats(): MachineStats {
    const { topics, files, producers, recentFiles, recentRequests, kv, offsets, transactions, registry } =
      this.#state;
    let pointers = 0;
    let logBytes = 0;
    for (const { partitions } of topics.held()) {
      for (const { pointerCount, byteCount } of partitions) {
        pointers += pointerCount;
        logBytes += byteCount;
      }
    }
    return {
      livePartitions: topics.livePartitionCount,
      heldPartitions: topics.heldPartitionCount,
      pointers,
      logBytes,
      pointerBytes: this.#state.pointers.usedBytes,
      files: files.count,
      deadFiles: files.dead.count,
      deletedFiles: files.deleted.count,
      producers: producers.count,
      recentFiles: recentFiles.count,
      recentRequests: recentRequests.count,
      records: kv.count,
      recordBytes: kv.bytes,
      committedOffsets: offsets.count,
      transactionalIds: transactions.count,
      openTransactions: transactions.openCount,
      registryEntries: registry.count,
      registryBytes: registry.bytes,
    };
  }

  snapshotForFollowers(): Omit<ClusterSnapshot, 'agents'> {
    const { clusterId, clusterConfigs, topics, kv, registry } = this.#state;
    return {
      clusterId,
      clusterConfigs,
      ...topicColumns(topics.live(), topics.livePartitionCount),
      records: kv.followed(),
      ...(registry.revision > 0 ? { registryRevision: registry.revision } : {}),
    };
  }

  /**
   * Starts a snapshot of the whole state as slices, versioned and with a checksum. Equal states give equal bytes. The
   * snapshot is of this moment, whatever the machine executes while the slices are taken. Only one can be in progress.
   */
  beginSave(): Saving {
    return beginSave(this.#state);
  }

  /** Returns a complete snapshot at once, for small states. */
  save(): Buffer[] {
    const saving = this.beginSave();
    try {
      return [...saving.slices];
    } finally {
      saving.end();
    }
  }
}
