import { decideCreateAcls } from '../acls/create-acls.ts';
import { decideDeleteAcls } from '../acls/delete-acls.ts';
import type { LogSizes, StoredConfigKind, StoredConfigResource } from '../cluster/admin-port.ts';
import type { CommittedOffset, TopicPartition } from '../cluster/groups-port.ts';
import type { DeletedTopic } from '../cluster/owner-port.ts';
import type {
  BatchesAnswer,
  BatchesQuery,
  ClusterChange,
  ClusterSnapshot,
  OffsetAnswer,
  OffsetQuery,
  TopicDescription,
} from '../cluster/port.ts';
import type {
  ListedTransaction,
  ProducersAnswer,
  TransactionDescription,
  TransactionFilter,
} from '../cluster/transactions-port.ts';
import { decideNoteLogins } from '../credentials/credential-use.ts';
import { decideDeleteCredentials, decidePutCredentials } from '../credentials/credentials.ts';
import { decideAlterScramCredentials } from '../credentials/scram-credentials.ts';
import { decideAlterClientQuotas } from '../quotas/alter-quotas.ts';
import { applyClusterConfigsAltered, decideAlterClusterConfigs } from './alter-cluster-configs.ts';
import {
  applyConfigsAltered,
  decideAlterConfigs,
  storedConfigNames,
  storedConfigs,
  writeConfigsAltered,
} from './alter-configs.ts';
import { ByteReader, UnreadableBytes } from './bytes/byte-reader.ts';
import { ByteWriter } from './bytes/byte-writer.ts';
import { ClusterState } from './cluster-state.ts';
import {
  type Command,
  type CommandKind,
  type CommandOf,
  MalformedCommand,
  type Replies,
  type ReplyOf,
} from './command.ts';
import { applyCommittedFiles, commitFiles } from './commit/commit-files.ts';
import { checkFileCommit } from './commit/file-commit-check.ts';
import { writeConfigChanges } from './config-changes.ts';
import { type EntryKind, entryKind } from './entry-kind.ts';
import { defaultLimits, type MachineLimits } from './limits.ts';
import { findBatches, findOffset } from './log/find.ts';
import { producerIdMax } from './log/marker.ts';
import { decideDeleteRecords } from './log-start/delete-records.ts';
import { applyLogStartsMoved, writeLogStartsMoved } from './log-start/log-starts.ts';
import { decideRetention } from './log-start/retention.ts';
import {
  applyOffsetsCommitted,
  decideCommitOffsets,
  writeOffsetsCommitted,
} from './offsets/commit-offsets.ts';
import { fetchOffsets, type GroupOffsetsQuery } from './offsets/fetch-offsets.ts';
import {
  applyOffsetsForgotten,
  decideForgetOffsets,
  writeOffsetsForgotten,
} from './offsets/forget-offsets.ts';
import type { Offsets } from './offsets/offsets.ts';
import { applyPurged, applyTopicsRemoved, decidePurge, writePurged } from './purge.ts';
import {
  applyRecordsPut,
  decidePutRecords,
  type RecordChange,
  writeRecordsPut,
} from './records/put-records.ts';
import type { Records } from './records/records.ts';
import {
  applyRequestAnswered,
  decodeAnswer,
  encodeAnswer,
  rememberRequest,
  requestKey,
  requestsToForget,
  writeRequestAnswered,
} from './replies/answered-requests.ts';
import { beginSave, restoreState, type Saving } from './snapshot/snapshot.ts';
import { decideCreatePartitions } from './topics/create-partitions.ts';
import { decideCreateTopics } from './topics/create-topics.ts';
import { decideDeleteTopics } from './topics/delete-topics.ts';
import { decideRestoreTopics, listDeletedTopics } from './topics/restore-topics.ts';
import {
  applyPartitionsCreated,
  applyTopicsCreated,
  applyTopicsDeleted,
  applyTopicsRestored,
  writePartitionsCreated,
  writeTopicsCreated,
  writeTopicsDeleted,
  writeTopicsRestored,
} from './topics/topic-entries.ts';

import {
  applyGroupAdded,
  applyPartitionsAdded,
  applyTransactionOffsets,
  decideAddOffsets,
  decideAddPartitions,
  decideCommitTransactionOffsets,
  writeGroupAdded,
  writePartitionsAdded,
  writeTransactionOffsets,
} from './transactions/add-to-transaction.ts';
import { describeProducers, describeTransaction, listTransactions } from './transactions/describe.ts';
import {
  applyTransactionEnded,
  decideEndTransaction,
  writeTransactionEnded,
} from './transactions/end-transaction.ts';
import { applyExpired, decideExpiry, writeExpired } from './transactions/expire-transactions.ts';
import { applyProducerInit, decideInitProducer, writeProducerInit } from './transactions/init-producer.ts';
import { applyOriginNoted, checkOrigin, writeOriginNoted } from './transactions/origin.ts';

export interface Execution<C extends Command> {
  /** What must be in the journal before the reply may leave; `undefined` when nothing changed. */
  readonly entry: Buffer | undefined;
  readonly reply: ReplyOf<C>;
  /** What followers see of it. They may see it when the entry is in the journal, not before. */
  readonly changes: readonly ClusterChange[];
}

/** What there is of everything that grows. */
export interface MachineFigures {
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

/** What the parts of the machine give: an entry only when something changed. */
interface Outcome<Kind extends CommandKind> {
  readonly reply: Replies[Kind];
  readonly entry?: Buffer;
  readonly changes?: readonly ClusterChange[];
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
  readonly #writer = new ByteWriter();

  private constructor(state: ClusterState, limits: MachineLimits) {
    this.#state = state;
    this.#limits = limits;
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
    const run = this.#executors[command.kind] as (command: C, nowMs: number) => Outcome<C['kind']>;
    // A leader whose clock is behind that of the one before keeps to the time of the last entry until its clock has caught up.
    const { reply, entry, changes = [] } = run(command, Math.max(nowMs, this.#state.nowMs));
    return { entry, reply, changes };
  }

  /** The entry of a command with its answer before it. The command itself has been applied. */
  #answered(key: string, done: Buffer, reply: unknown): Buffer {
    const { nowMs } = this.#state;
    const answer = encodeAnswer(reply);
    const forgotten = requestsToForget(this.#state, this.#limits, answer.length, nowMs);
    this.#beginEntry('requestAnswered', nowMs);
    writeRequestAnswered(this.#writer, key, forgotten, answer);
    this.#writer.raw(done);
    rememberRequest(this.#state, key, forgotten, answer);
    return this.#writer.take();
  }

  /**
   * Applies an entry that another machine's `execute` gave, and gives the changes that followers see. Throws `UnreadableBytes`
   * when the entry is not whole, not of this release, or does not fit what was applied before; the machine is of no use then.
   */
  apply(entry: Buffer): readonly ClusterChange[] {
    const reader = new ByteReader(entry);
    const kind = entryKinds.get(reader.u8());
    if (kind === undefined) throw new UnreadableBytes(`this release knows no entry of kind ${entry[0]}`);
    this.#state.nowMs = reader.varint();
    if (kind === 'requestAnswered') {
      applyRequestAnswered(this.#state, reader);
      const done = reader.raw(reader.left);
      if (done[0] === entryKind.requestAnswered) throw new UnreadableBytes('an answer within an answer');
      return this.apply(done);
    }
    const changes = appliers[kind](this.#state, reader) ?? [];
    reader.end();
    return changes;
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
  figures(): MachineFigures {
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
    const descriptions: TopicDescription[] = [];
    const logStartOffset = new Float64Array(topics.livePartitionCount);
    const nextOffset = new Float64Array(topics.livePartitionCount);
    const lastStableOffset = new Float64Array(topics.livePartitionCount);
    let row = 0;
    for (const { description, partitions } of topics.live()) {
      descriptions.push(description);
      for (const log of partitions) {
        logStartOffset[row] = log.logStartOffset;
        nextOffset[row] = log.nextOffset;
        lastStableOffset[row] = log.lastStableOffset;
        row++;
      }
    }
    return {
      clusterId,
      clusterConfigs,
      topics: descriptions,
      logStartOffset,
      nextOffset,
      lastStableOffset,
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

  readonly #executors: {
    readonly [Kind in CommandKind]: (command: CommandOf<Kind>, nowMs: number) => Outcome<Kind>;
  } = {
    commitFiles: ({ files }, nowMs) => {
      for (const file of files) checkFileCommit(file);
      const state = this.#state;
      if (files.every(({ fileId }) => state.recentFiles.has(fileId))) {
        return { reply: files.map(({ fileId }) => state.recentFiles.replyOf(fileId)!) };
      }
      state.nowMs = nowMs;
      const hasTransactions = files.some(({ transactions }) => transactions !== undefined);
      this.#beginEntry(hasTransactions ? 'transactionalFilesCommitted' : 'filesCommitted', nowMs);
      const { results, changes } = commitFiles(state, this.#limits, files, this.#writer);
      return { reply: results, entry: this.#writer.take(), changes };
    },

    createTopics: ({ topics, topicIds, validateOnly }, nowMs) => {
      this.#checkFreshIds(topicIds, topics.length);
      const { created, results } = decideCreateTopics(this.#state, this.#limits, topics, topicIds, nowMs);
      if (validateOnly || created.length === 0) return { reply: results };
      this.#beginEntry('topicsCreated', nowMs);
      writeTopicsCreated(this.#writer, created);
      return this.#applied(results);
    },

    deleteTopics: ({ topics }, nowMs) => {
      const { deleted, results } = decideDeleteTopics(this.#state, topics);
      if (deleted.length === 0) return { reply: results };
      this.#beginEntry('topicsDeleted', nowMs);
      writeTopicsDeleted(this.#writer, deleted);
      return this.#applied(results);
    },

    removeTopics: ({ topics }, nowMs) => {
      const { deleted, results } = decideDeleteTopics(this.#state, topics);
      if (deleted.length === 0) return { reply: results };
      this.#beginEntry('topicsRemoved', nowMs);
      writeTopicsDeleted(this.#writer, deleted);
      return this.#applied(results);
    },

    restoreTopics: ({ topicIds }, nowMs) => {
      const { restored, results } = decideRestoreTopics(this.#state, this.#limits, topicIds, nowMs);
      if (restored.length === 0) return { reply: results };
      this.#beginEntry('topicsRestored', nowMs);
      writeTopicsRestored(this.#writer, restored);
      return this.#applied(results);
    },

    createPartitions: ({ topics, validateOnly }, nowMs) => {
      const { grown, results } = decideCreatePartitions(this.#state, this.#limits, topics);
      if (validateOnly || grown.length === 0) return { reply: results };
      this.#beginEntry('partitionsCreated', nowMs);
      writePartitionsCreated(this.#writer, grown);
      return this.#applied(results);
    },

    allocateProducerIds: ({ count }, nowMs) => {
      const { producerIdsPerCallMax } = this.#limits;
      if (!Number.isInteger(count) || count < 1 || count > producerIdsPerCallMax) {
        throw new MalformedCommand(
          `${count} producer ids; 1 to ${producerIdsPerCallMax} can be had at a time`,
        );
      }
      const first = this.#state.nextProducerId;
      if (first + count > allocatedProducerIdMax)
        throw new MalformedCommand('all producer ids are given out');
      this.#beginEntry('producerIdsAllocated', nowMs);
      this.#writer.varint(count);
      return this.#applied(first);
    },

    alterClusterConfigs: ({ configs }, nowMs) => {
      const { changed, problem } = decideAlterClusterConfigs(this.#state, configs);
      if (problem !== undefined) return { reply: { error: 'INVALID_CONFIG', message: problem } };
      const reply = { error: 'NONE', message: null } as const;
      if (Object.keys(changed).length === 0) return { reply };
      this.#beginEntry('clusterConfigsAltered', nowMs);
      writeConfigChanges(this.#writer, changed);
      return this.#applied(reply);
    },

    putRecords: ({ changes }, nowMs) => {
      const { changed, problem } = decidePutRecords(this.#state, this.#limits, changes);
      if (problem !== undefined) return { reply: { error: 'POLICY_VIOLATION', message: problem } };
      return this.#recordsPut(changed, { error: 'NONE', message: null }, nowMs);
    },

    alterClientQuotas: ({ entities, validateOnly }, nowMs) => {
      const { changed, results } = decideAlterClientQuotas(this.#state, this.#limits, entities);
      return this.#recordsPut(validateOnly ? [] : changed, results, nowMs);
    },

    alterScramCredentials: ({ changes }, nowMs) => {
      const { changed, results } = decideAlterScramCredentials(this.#state, this.#limits, changes);
      return this.#recordsPut(changed, results, nowMs);
    },

    putCredentials: ({ credentials }, nowMs) => {
      const { changed, results } = decidePutCredentials(this.#state, this.#limits, credentials, nowMs);
      return this.#recordsPut(changed, results, nowMs);
    },

    deleteCredentials: ({ usernames }, nowMs) => {
      const { changed, results } = decideDeleteCredentials(this.#state, this.#limits, usernames);
      return this.#recordsPut(changed, results, nowMs);
    },

    noteLogins: ({ logins }, nowMs) => {
      const { changed, problem } = decideNoteLogins(this.#state, this.#limits, logins);
      if (problem !== undefined) return { reply: { error: 'POLICY_VIOLATION', message: problem } };
      return this.#recordsPut(changed, { error: 'NONE', message: null }, nowMs);
    },

    createAcls: ({ acls }, nowMs) => {
      const { changed, results } = decideCreateAcls(this.#state, this.#limits, acls);
      return this.#recordsPut(changed, results, nowMs);
    },

    deleteAcls: ({ filters }, nowMs) => {
      const { changed, results } = decideDeleteAcls(this.#state, this.#limits, filters);
      return this.#recordsPut(changed, results, nowMs);
    },

    commitOffsets: ({ groups }, nowMs) => {
      const { committed, results } = decideCommitOffsets(this.#state, this.#limits, groups, nowMs);
      if (committed.length === 0) return { reply: results };
      this.#beginEntry('offsetsCommitted', nowMs);
      writeOffsetsCommitted(this.#writer, committed);
      return this.#applied(results);
    },

    forgetOffsets: ({ groups }, nowMs) => {
      const forgotten = decideForgetOffsets(this.#state, groups);
      const reply = forgotten.reduce((sum, { partitions }) => sum + (partitions?.length ?? 0), 0);
      if (forgotten.length === 0) return { reply };
      this.#beginEntry('offsetsForgotten', nowMs);
      writeOffsetsForgotten(this.#writer, forgotten);
      return this.#applied(reply);
    },

    initTransactionalProducer: ({ request }, nowMs) => {
      const { answer, init } = decideInitProducer(this.#state, this.#limits, request);
      if (init === undefined) return { reply: answer };
      this.#beginEntry('transactionalProducerInit', nowMs);
      writeProducerInit(this.#writer, init);
      return this.#applied(answer);
    },

    addPartitionsToTransaction: ({ request }, nowMs) => {
      checkOrigin(request.origin, this.#limits);
      const { answer, addition } = decideAddPartitions(this.#state, this.#limits, request);
      if (addition === undefined) return { reply: answer };
      this.#beginEntry('transactionPartitionsAdded', nowMs);
      writePartitionsAdded(this.#writer, addition);
      return this.#applied(answer);
    },

    addOffsetsToTransaction: ({ request }, nowMs) => {
      checkOrigin(request.origin, this.#limits);
      const { answer, addition } = decideAddOffsets(this.#state, this.#limits, request);
      if (addition === undefined) return { reply: answer };
      this.#beginEntry('transactionGroupAdded', nowMs);
      writeGroupAdded(this.#writer, addition);
      return this.#applied(answer);
    },

    commitTransactionOffsets: ({ request }, nowMs) => {
      const { answer, addition } = decideCommitTransactionOffsets(this.#state, this.#limits, request);
      if (addition === undefined) return { reply: answer };
      this.#beginEntry('transactionOffsetsCommitted', nowMs);
      writeTransactionOffsets(this.#writer, addition);
      return this.#applied(answer);
    },

    endTransaction: ({ request }, nowMs) => {
      checkOrigin(request.origin, this.#limits);
      const decision = decideEndTransaction(this.#state, request);
      switch (decision.kind) {
        case 'answer':
          return { reply: decision.answer };
        case 'doubt':
          this.#beginEntry('transactionOriginNoted', nowMs);
          writeOriginNoted(this.#writer, decision.transaction, request.origin);
          return this.#applied(decision.answer);
        case 'end': {
          const { producerId, epoch: producerEpoch } = decision.end.holder;
          this.#beginEntry('transactionEnded', nowMs);
          writeTransactionEnded(this.#writer, decision.end);
          return this.#applied({ error: 'NONE', message: null, producerId, producerEpoch });
        }
      }
    },

    expireTransactions: (_command, nowMs) => {
      const expiry = decideExpiry(this.#state, this.#limits, nowMs);
      const reply = { aborted: expiry.timedOut.length, forgottenIds: expiry.forgotten.length };
      if (reply.aborted + reply.forgottenIds === 0) return { reply };
      this.#beginEntry('transactionsExpired', nowMs);
      writeExpired(this.#writer, expiry);
      return this.#applied(reply);
    },

    alterConfigs: ({ resources, validateOnly }, nowMs) => {
      const { alteration, results } = decideAlterConfigs(this.#state, this.#limits, resources);
      if (validateOnly || alteration === undefined) return { reply: results };
      this.#beginEntry('configsAltered', nowMs);
      writeConfigsAltered(this.#writer, alteration);
      return this.#applied(results);
    },

    deleteRecords: ({ partitions }, nowMs) => {
      const { starts, results } = decideDeleteRecords(this.#state, partitions);
      if (starts.size === 0) return { reply: results };
      this.#beginEntry('logStartsMoved', nowMs);
      writeLogStartsMoved(this.#writer, starts);
      return this.#applied(results);
    },

    applyRetention: ({ from }, nowMs) => {
      const { starts, next } = decideRetention(this.#state, this.#limits, from, nowMs);
      const reply = { moved: starts.size, next };
      if (starts.size === 0) return { reply };
      this.#beginEntry('logStartsMoved', nowMs);
      writeLogStartsMoved(this.#writer, starts);
      return this.#applied(reply);
    },

    purge: (_command, nowMs) => {
      const purge = decidePurge(this.#state, this.#limits, nowMs);
      const reply = { producers: purge.producers, fileIds: purge.fileIds, topics: purge.topics.length };
      if (reply.producers + reply.fileIds + reply.topics === 0) return { reply };
      this.#beginEntry('purged', nowMs);
      writePurged(this.#writer, purge);
      return this.#applied(reply);
    },
  };

  #beginEntry(kind: EntryKind, nowMs: number): void {
    this.#writer.u8(entryKind[kind]);
    this.#writer.varint(nowMs);
  }

  #recordsPut<Reply>(changed: readonly RecordChange[], reply: Reply, nowMs: number) {
    if (changed.length === 0) return { reply };
    this.#beginEntry('recordsPut', nowMs);
    writeRecordsPut(this.#writer, changed);
    return this.#applied(reply);
  }

  /** Ends an entry and does what it says, exactly as a follower will. */
  #applied<Reply>(reply: Reply): { reply: Reply; entry: Buffer; changes: readonly ClusterChange[] } {
    const entry = this.#writer.take();
    return { reply, entry, changes: this.apply(entry) };
  }

  #checkFreshIds(topicIds: readonly string[], topicCount: number): void {
    if (topicIds.length !== topicCount) {
      throw new MalformedCommand(`${topicCount} topics came with ${topicIds.length} ids`);
    }
    const fresh = new Set(topicIds);
    if (fresh.size !== topicCount) throw new MalformedCommand('the ids of new topics are not all different');
    for (const topicId of topicIds) {
      if (topicId === '' || this.#state.topics.hasId(topicId)) {
        throw new MalformedCommand(`the id "${topicId}" cannot be given to a new topic`);
      }
    }
  }
}

/** A marker has room for so many. The other half is left to transactional ids, which take one at a time. */
const allocatedProducerIdMax = producerIdMax / 2;

const entryKinds: ReadonlyMap<number, EntryKind> = new Map(
  Object.entries(entryKind).map(([kind, number]) => [number, kind as EntryKind]),
);

/** What each kind of entry does to the state, and what followers see of it. */
const appliers: {
  readonly [Kind in Exclude<EntryKind, 'requestAnswered'>]: (
    state: ClusterState,
    reader: ByteReader,
  ) => readonly ClusterChange[] | undefined;
} = {
  filesCommitted: applyCommittedFiles,
  transactionalFilesCommitted: applyCommittedFiles,
  transactionalProducerInit: applyProducerInit,
  transactionPartitionsAdded: applyPartitionsAdded,
  transactionGroupAdded: applyGroupAdded,
  transactionOffsetsCommitted: applyTransactionOffsets,
  transactionEnded: applyTransactionEnded,
  transactionsExpired: applyExpired,
  transactionOriginNoted: applyOriginNoted,
  topicsCreated: applyTopicsCreated,
  topicsDeleted: applyTopicsDeleted,
  topicsRemoved: applyTopicsRemoved,
  topicsRestored: applyTopicsRestored,
  partitionsCreated: applyPartitionsCreated,
  producerIdsAllocated: (state, reader) => {
    state.nextProducerId += reader.varint();
    return undefined;
  },
  clusterConfigsAltered: applyClusterConfigsAltered,
  configsAltered: applyConfigsAltered,
  logStartsMoved: applyLogStartsMoved,
  recordsPut: applyRecordsPut,
  offsetsCommitted: applyOffsetsCommitted,
  offsetsForgotten: applyOffsetsForgotten,
  purged: (state, reader) => {
    applyPurged(state, reader);
    return undefined;
  },
};
