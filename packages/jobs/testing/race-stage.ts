import assert from 'node:assert/strict';
import type { AppendOutcome } from '@weir/broker/testing';
import { batchOf, DataPath, produced, testAgent } from '@weir/broker/testing';
import {
  type ClaimedJob,
  type ClusterPort,
  ClusterUnavailable,
  fileCompactionKind,
  fileDeletionKind,
  writeScanTask,
} from '@weir/cluster';
import { type Gate, HandClock, settle } from '@weir/core/testing';
import { aroundStore, isFileId, type ObjectStore } from '@weir/storage';
import { batchRecords, recordBatches } from '@weir/wire';
import { fileCompaction } from '../src/compaction/file-compaction.ts';
import { mergeFiles } from '../src/compaction/merge-files.ts';
import { deadFileScan } from '../src/dead-file-scan.ts';
import { fileDeletion } from '../src/file-deletion.ts';
import type { JobKind } from '../src/job-kind.ts';
import { restoreCheck } from '../src/restore-check.ts';

/** Called before an operation of a job on the store or the cluster. */
type BeforeOperation = (operation: Operation) => Promise<void> | void;

type StoreOperation = 'list' | 'head' | 'getRange' | 'finish' | 'deleteMany';
type CallOperation = 'replaceRanges' | 'unknownFiles' | 'declareFilesDead' | 'forgetDeadFiles';
export type Operation = StoreOperation | CallOperation;

export const topicNames = ['orders', 'payments'] as const;
type TopicName = (typeof topicNames)[number];
export const deleteDelayMs = 60_000;
export const topicTtlMs = 30_000;
const partitionCount = 2;
const mergeWaitMs = 11 * 60_000;
const deletionPauseMs = 30_000;

/** What clients must read of a topic. */
interface TopicModel {
  isDeleted: boolean;
  readonly starts: number[];
  readonly records: string[][];
}

/**
 * An agent and its leader in virtual time, whose background jobs run one operation at a time, beside a model of what
 * clients must read.
 */
export class RaceStage {
  readonly path = new DataPath({
    pages: { pageBytes: 4_096, cacheBytesMax: 0, ownFiles: 'none' },
    poolSlabBytes: 64 << 10,
    // A few files are merged when they are old. By the clock of the leader they are at once.
    clusterClock: new HandClock(new HandClock().nowMs() + mergeWaitMs),
    clusterConfigs: {
      'service.file.delete.delay.ms': String(deleteDelayMs),
      'service.soft.delete.topic.ttl.ms': String(topicTtlMs),
    },
  });
  readonly cluster = this.path.cluster;
  readonly topicIds = new Map<TopicName, string>();
  readonly model = new Map<TopicName, TopicModel>();
  #written = 0;

  static async open(): Promise<RaceStage> {
    const stage = new RaceStage();
    await stage.path.ready();
    return stage;
  }

  private constructor() {
    const { path, cluster } = this;
    path.store.nowMs = () => path.clock.nowMs();
    path.store.beforeGet = () => (this.#isJob ? undefined : this.beforeRead());
    for (const name of topicNames) {
      this.topicIds.set(name, cluster.addTopic(name, partitionCount, { 'retention.ms': '-1' }).topicId);
      this.model.set(name, { isDeleted: false, starts: [0, 0], records: [[], []] });
    }
  }

  get fileKeys(): string[] {
    return [...this.path.store.objects.keys()].filter((key) => isFileId(key.slice(-32)));
  }

  /** Lets time pass for the agent, its store and its leader. */
  async pass(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0; leftMs -= 30_000) {
      const stepMs = Math.min(leftMs, 30_000);
      void this.cluster.heartbeat(testAgent('a'));
      this.path.clock.advance(stepMs);
      await this.cluster.clock.pass(stepMs);
    }
  }

  /** Writes a file with one record for every partition of the topics that exist. */
  async write(): Promise<void> {
    const names = topicNames.filter((name) => !this.model.get(name)!.isDeleted);
    this.path.clock.advance(100);
    this.cluster.clock.advance(100);
    const value = `record ${this.#written++}`;
    const batches = names.flatMap((name) =>
      Array.from({ length: partitionCount }, (_, partition) =>
        produced(this.topicIds.get(name)!, partition, batchOf([value])),
      ),
    );
    const { results } = await this.path.writePath.append(batches, { deadlineMs: 1e15 });
    for (const { error } of results) assert.equal(error, 'NONE');
    for (const name of names) this.#acknowledged(name, value);
    await settle();
  }

  /** Writes a record to each partition of a topic as a client does that retries what was refused. */
  async writePatiently(name: TopicName): Promise<void> {
    const value = `record ${this.#written++}`;
    for (;;) {
      const batches = [0, 1].map((partition) =>
        produced(this.topicIds.get(name)!, partition, batchOf([value])),
      );
      let outcome: AppendOutcome | undefined;
      void this.path.writePath.append(batches, { deadlineMs: 1e15 }).then((settled) => {
        outcome = settled;
      });
      await settle();
      while (outcome === undefined) {
        await this.#commitGate;
        await this.pass(100);
      }
      const [error, ...others] = new Set(outcome.results.map((result) => result.error));
      assert.ok(error === 'NONE' || error === 'KAFKA_STORAGE_ERROR', error);
      assert.equal(others.length, 0);
      if (error === 'NONE') break;
    }
    this.#acknowledged(name, value);
  }

  /** Waits before commits of files; says then what becomes of the call. */
  gateCommits(gate: () => Promise<'arrives' | 'is lost' | 'loses its answer'>): void {
    this.cluster.around = async (name, proceed) => {
      if (name !== 'commitFiles') return await proceed();
      const gated = gate();
      this.#commitGate = gated;
      const fate = await gated;
      if (fate === 'is lost') throw new ClusterUnavailable('the call was lost');
      const answer = await proceed();
      if (fate === 'loses its answer') throw new ClusterUnavailable('the answer was lost');
      return answer;
    };
  }

  #commitGate: Promise<unknown> | undefined;

  #acknowledged(name: TopicName, value: string): void {
    for (const records of this.model.get(name)!.records) records.push(value);
  }

  // --- what owners do ---

  async deleteRecords(name: TopicName, partition: number, offset: number): Promise<void> {
    const [result] = await this.cluster.deleteRecords([
      { topicId: this.topicIds.get(name)!, partition, offset },
    ]);
    assert.equal(result!.error, 'NONE');
    this.model.get(name)!.starts[partition] = offset;
  }

  async deleteTopic(name: TopicName): Promise<void> {
    const [result] = await this.cluster.deleteTopics([{ name }]);
    assert.equal(result!.error, 'NONE');
    this.model.get(name)!.isDeleted = true;
  }

  async restoreTopic(name: TopicName): Promise<void> {
    const [result] = await this.cluster.restoreTopics([this.topicIds.get(name)!]);
    assert.equal(result!.error, 'NONE');
    this.model.get(name)!.isDeleted = false;
  }

  async removeTopic(name: TopicName): Promise<void> {
    const [result] = await this.cluster.removeTopics([{ name }]);
    assert.equal(result!.error, 'NONE');
    this.model.get(name)!.isDeleted = true;
  }

  // --- jobs ---

  /** Claims a job that the leader plans within some seconds, if there is any. */
  async claim(kind: string): Promise<ClaimedJob | undefined> {
    let claimed: readonly ClaimedJob[] | undefined;
    const claim = this.cluster.claimJobs({ agentId: 'a', kinds: [kind], slots: 1, waitMs: 6_000 });
    void claim.then((jobs) => {
      claimed = jobs;
    });
    while (claimed === undefined) await this.pass(1_000);
    return claimed[0];
  }

  /** The kinds of jobs as agents have them, which call `before` at each of their operations. */
  kinds(before: BeforeOperation): Readonly<Record<'merge' | 'deletion' | 'scan', JobKind>> {
    const { cluster, path } = this;
    const { clusterId, clock } = cluster;
    const { metrics, random, view } = path;
    const store = this.#storeAround(before);
    const around = <Name extends CallOperation>(name: Name): ClusterPort[Name] =>
      (async (...args: unknown[]) => {
        await before(name);
        return (cluster[name] as (...args: unknown[]) => Promise<unknown>)(...args);
      }) as ClusterPort[Name];
    const port = {
      replaceRanges: around('replaceRanges'),
      unknownFiles: around('unknownFiles'),
      declareFilesDead: around('declareFilesDead'),
      forgetDeadFiles: around('forgetDeadFiles'),
    };
    const checkOwner = restoreCheck({ clusterId, view, buckets: () => [{ number: 0, open: () => store }] });
    return {
      merge: fileCompaction({
        clusterId,
        port,
        checkOwner,
        clock,
        metrics,
        merge: (plan, options) => mergeFiles(plan, { ...options, store, random }),
      }),
      deletion: fileDeletion({ clusterId, port, stores: [store], checkOwner, metrics }),
      scan: deadFileScan({
        clusterId,
        port,
        buckets: () => [{ number: 0, open: () => store }],
        checkOwner,
        hasTopic: (topicId) => view.topicById(topicId) !== undefined,
        deletes: true,
        clock,
        metrics,
      }),
    };
  }

  /** Runs a job to its end, although the leader may have given it to others meanwhile. */
  async run({ run }: JobKind, { jobId, task }: ClaimedJob): Promise<void> {
    let problem: unknown;
    try {
      await run(task, { signal: new AbortController().signal, checkpoint: null, progress() {} });
    } catch (error) {
      problem = error;
    }
    await this.cluster.reportJob({
      agentId: 'a',
      jobId,
      state: problem === undefined ? 'done' : 'failed',
      progress: { doneCount: 0, totalCount: -1 },
      checkpoint: null,
      message: '',
    });
    if (problem !== undefined) throw problem;
  }

  /** Deletes what has been dead for long enough; returns whether there was any. */
  async delete(before: BeforeOperation = () => {}): Promise<boolean> {
    const job = await this.claim(fileDeletionKind);
    if (job !== undefined) await this.run(this.kinds(before).deletion, job);
    return job !== undefined;
  }

  /** Declares every object dead that the cluster does not know, however young it is. */
  async scan(before: BeforeOperation = () => {}): Promise<void> {
    const task = writeScanTask({ knownFromMs: 0, ageMsMin: 0, orphanPercentMax: 100 });
    const context = { signal: new AbortController().signal, checkpoint: null, progress() {} };
    await this.kinds(before).scan.run(task, context);
  }

  /** Merges all files of level 0. */
  async merge(before: BeforeOperation = () => {}): Promise<void> {
    const job = await this.claim(fileCompactionKind);
    assert.ok(job !== undefined, 'there is something to merge');
    await this.run(this.kinds(before).merge, job);
  }

  /** Called before clients' reads of the store, not before those of jobs. */
  beforeRead: () => Promise<void> | void = () => {};
  #isJob = false;

  #unseenByReaders<Result>(read: () => Result): Result {
    this.#isJob = true;
    try {
      return read();
    } finally {
      this.#isJob = false;
    }
  }

  #storeAround(before: BeforeOperation): ObjectStore {
    const { store } = this.path;
    return {
      ...aroundStore(store, ({ run, signal }) => run(signal)),
      async head(key) {
        await before('head');
        return store.head(key);
      },
      getRange: async (key, start, end, options) => {
        await before('getRange');
        return this.#unseenByReaders(() => store.getRange(key, start, end, options));
      },
      async deleteMany(keys) {
        await before('deleteMany');
        return store.deleteMany(keys);
      },
      async *list(prefix, options) {
        await before('list');
        yield* store.list(prefix, options);
      },
      async beginUpload(key) {
        const upload = await store.beginUpload(key);
        return {
          ...upload,
          async finish(options) {
            await before('finish');
            await upload.finish(options);
          },
        };
      },
    };
  }

  // --- checks ---

  /** Fetches a partition from an offset on; an error is its code. */
  async read(name: TopicName, partition: number, fromOffset: number): Promise<string[] | number> {
    const found: string[] = [];
    for (let fetchOffset = BigInt(fromOffset); ; ) {
      const partitions = [{ partition, fetchOffset, partitionMaxBytes: 1 << 20 }];
      const request = {
        maxWaitMs: 0,
        minBytes: 0,
        maxBytes: 1 << 20,
        topics: [{ topic: name, partitions }],
      };
      const answer = await this.path.call('Fetch', 12, request);
      assert.ok(answer !== 'noReply' && answer !== 'close');
      const { errorCode, records } = answer.responses[0]!.partitions[0]!;
      if (errorCode !== 0) return errorCode;
      const before = fetchOffset;
      for (const batch of recordBatches(records ?? Buffer.alloc(0), { partialTail: 'ignore' })) {
        for (const { offset, value } of batchRecords(batch)) found.push(`${offset} ${value}`);
        fetchOffset = batch.nextOffset;
      }
      if (fetchOffset === before) return found;
    }
  }

  /** Fails unless clients read exactly what the model has; with `inDoubt` they may find one more record. */
  async checkReads(inDoubt: 'one more' | 'nothing' = 'nothing'): Promise<void> {
    for (const [name, { isDeleted, starts, records }] of this.model) {
      for (const [partition, values] of records.entries()) {
        const start = starts[partition]!;
        if (isDeleted) {
          assert.equal(await this.read(name, partition, start), noTopicCode, `${name} ${partition}`);
          continue;
        }
        const expected = values.map((value, offset) => `${offset} ${value}`).slice(start);
        const found = await this.read(name, partition, start);
        const isMore = inDoubt === 'one more' && Array.isArray(found) && found.length === expected.length + 1;
        assert.deepEqual(isMore ? found.slice(0, -1) : found, expected, `${name} ${partition}`);
      }
    }
  }

  /** Lets everything end, and fails unless the bucket has exactly the files that the metadata refers to. */
  async checkEnd(): Promise<void> {
    await this.checkReads();
    await this.scan();
    await this.pass(deleteDelayMs);
    // Jobs that are not full have a pause between them.
    while (await this.delete()) await this.pass(deletionPauseMs);
    await this.checkReads();
    const { levels, deadFiles } = await this.cluster.fileTotals();
    assert.equal(deadFiles, 0, 'dead files are left');
    const fileIds = this.fileKeys.map((key) => key.slice(-32));
    assert.deepEqual(await this.cluster.unknownFiles(fileIds), [], 'files are unknown');
    const liveFiles = levels.reduce((sum, { files }) => sum + files, 0);
    assert.equal(fileIds.length, liveFiles, 'the bucket has each live file');
  }
}

/** Waits at the first of each of these operations. */
export function gatesAt(operations: readonly Operation[], gate: Gate): BeforeOperation {
  const left = new Set(operations);
  return (operation) => (left.delete(operation) ? gate(operation) : undefined);
}

/** INVALID_TOPIC_EXCEPTION: there is no topic of that name. */
export const noTopicCode = 17;
export const offsetOutOfRangeCode = 1;
