import type {
  BatchesAnswer,
  BatchesQuery,
  ClusterChange,
  ClusterSnapshot,
  CommittedOffset,
  DeletedTopic,
  ListedTransaction,
  LogSizes,
  OffsetAnswer,
  OffsetQuery,
  ProducersAnswer,
  ResourceCounts,
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
import type { Records } from './kv/key-value-store.ts';
import { findBatches, findOffset } from './log/find.ts';
import { defaultLimits, type MachineLimits } from './machine-limits.ts';
import { fetchOffsets, type GroupOffsetsQuery } from './offsets/fetch-offsets.ts';
import type { Offsets } from './offsets/offsets.ts';
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
  /** What must be in the journal before the reply may leave; `undefined` when nothing changed. */
  readonly entry: Buffer | undefined;
  readonly reply: ReplyOf<C>;
  /** What followers see of it. They may see it when the entry is in the journal, not before. */
  readonly changes: readonly ClusterChange[];
}

/** What there is of everything that grows. */
interface MachineStats {
  readonly livePartitions: number;
  /** Those of deleted topics included. */
  readonly heldPartitions: number;
  readonly pointers: number;
  /** What they cover in files. */
  readonly logBytes: number;
  /** What they take, with the unused ends of their chunks. */
  readonly pointerBytes: number;
  /** Files that a pointer lies in. */
  readonly files: number;
  /** Producers, counted in every partition that they wrote to. */
  readonly producers: number;
  readonly recentFiles: number;
  readonly recentRequests: number;
  readonly records: number;
  readonly recordBytes: number;
  readonly committedOffsets: number;
  readonly transactionalIds: number;
  readonly openTransactions: number;
}

/**
 * The ordered truth of one virtual cluster: a state machine without I/O, clock or chance.
 *
 * `execute` decides and applies at once, so that commands that wait for one append of the journal see each other. What it
 * applied is true only when its entry is in the journal: answers of reads that were made in between have to wait for it too,
 * and a machine whose entry could not be appended is ahead of the truth and has to be thrown away.
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

  /** Throws `UnreadableBytes` when the bytes are not a whole snapshot of a version that this release reads. */
  static restore(bytes: Buffer, limits: MachineLimits = defaultLimits): ClusterMachine {
    return new ClusterMachine(restoreState(bytes), limits);
  }

  get clusterId(): string {
    return this.#state.clusterId;
  }

  /**
   * Decides and applies. Throws `MalformedCommand`, and changes nothing, when the command is not well formed: that is a mistake of
   * the caller.
   *
   * With the id of a request the command is done once: when it comes again, it gets the first answer. Files have ids of their
   * own, so that commits need none.
   */
  execute<C extends Command>(command: C, nowMs: number, requestId?: string): Execution<C> {
    if (!Number.isSafeInteger(nowMs) || nowMs < 0) throw new MalformedCommand(`${nowMs} is no time`);
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
    // A leader whose clock is behind that of the one before keeps to the time of the last entry until its clock has caught up.
    const { reply, entry, changes = [] } = run(this.#work, command, Math.max(nowMs, this.#state.nowMs));
    return { entry, reply, changes };
  }

  /** The entry of a command with its answer before it. The command itself has been applied. */
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

  /** Applies an entry that another machine's `execute` gave; see `applyEntry`. */
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

  /** Nothing compacts files yet, so that all of them are as agents wrote them. */
  countFiles(): readonly number[] {
    return [this.#state.files.count];
  }

  /** Live topics, in the order of creation. */
  *topics(): Generator<TopicDescription> {
    for (const { description } of this.#state.topics.live()) yield description;
  }

  topicByName(name: string): TopicDescription | undefined {
    return this.#state.topics.byName(name)?.description;
  }

  topicById(topicId: string): TopicDescription | undefined {
    return this.#state.topics.byId(topicId)?.description;
  }

  /** `null` for those that do not exist. */
  describeTopics(references: readonly TopicReference[]): (TopicDescription | null)[] {
    return references.map((reference) => this.#live(reference)?.description ?? null);
  }

  /** Without those that do not exist. */
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
    const { topics, records } = this.#state;
    return {
      topics: topics.liveCount,
      partitions: topics.livePartitionCount,
      acls: records.of('acl').size,
      clientQuotas: records.of('clientQuota').size,
      credentials: records.of('credential').size,
    };
  }

  /** The names of live topics, in the order of creation. */
  *topicNames(): Generator<string> {
    for (const { description } of this.#state.topics.live()) yield description.name;
  }

  /** The number of a live topic. */
  topicNumber(topicId: string): number | undefined {
    return this.#state.topics.byId(topicId)?.number;
  }

  /** Deleted topics too, until they are removed. */
  topicByNumber(number: number): TopicDescription | undefined {
    return this.#state.topics.byNumber(number)?.description;
  }

  /** Deleted topics that can be restored, the last deleted first. */
  deletedTopics(nowMs: number): DeletedTopic[] {
    return listDeletedTopics(this.#state, Math.max(nowMs, this.#state.nowMs));
  }

  fetchOffsets(query: GroupOffsetsQuery): CommittedOffset[] {
    return fetchOffsets(this.#state, query);
  }

  /** To be read only. */
  get records(): Pick<Records, 'get' | 'of' | 'count' | 'bytes'> {
    return this.#state.records;
  }

  /** To be read only. */
  get offsets(): Pick<Offsets, 'of' | 'countOf' | 'hasGroup' | 'groupIds' | 'isPending' | 'hasPendingGroup'> {
    return this.#state.offsets;
  }

  clusterConfigs(): Readonly<Record<string, string>> {
    return this.#state.clusterConfigs;
  }

  /** How much the machine holds, for metrics. */
  stats(): MachineStats {
    const { topics, files, producers, recentFiles, recentRequests, records, offsets, transactions } =
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
      producers: producers.count,
      recentFiles: recentFiles.count,
      recentRequests: recentRequests.count,
      records: records.count,
      recordBytes: records.bytes,
      committedOffsets: offsets.count,
      transactionalIds: transactions.count,
      openTransactions: transactions.openCount,
    };
  }

  snapshotForFollowers(): Omit<ClusterSnapshot, 'agents'> {
    const { clusterId, clusterConfigs, topics, records } = this.#state;
    return {
      clusterId,
      clusterConfigs,
      ...topicColumns(topics.live(), topics.livePartitionCount),
      records: records.followed(),
    };
  }

  /**
   * The whole state as slices, versioned and with a checksum. Equal states give equal bytes. The state is the one of this
   * moment, whatever the machine does while the slices are taken. One at a time.
   */
  beginSave(): Saving {
    return beginSave(this.#state);
  }

  /** The same at once, for states that are small. */
  save(): Buffer[] {
    const saving = this.beginSave();
    try {
      return [...saving.slices];
    } finally {
      saving.end();
    }
  }
}
