import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { commitOf, testAgent } from '@weir/broker/testing';
import {
  deadFileScanKind,
  entryErrors,
  fileDeletionKind,
  type JobState,
  readScanTask,
  type ScanTask,
  writeScanTask,
} from '@weir/cluster';
import { type Clock, Metrics, seededRandom, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import {
  aroundStore,
  bucketIdKey,
  dropMemoryBucket,
  logFileKey,
  newFileId,
  type ObjectStore,
  openStore,
  restoreFenceKey,
  StoreError,
  sequenceEndKey,
} from '@weir/storage';
import { MergePace } from './compaction/merge-pace.ts';
import { deadFileRows } from './dead-file-metrics.ts';
import { deadFileScan } from './dead-file-scan.ts';
import { type JobSettings, jobService, usualJobSettings } from './job-service.ts';
import { sidecarKey } from './query/sidecar-names.ts';
import type { SearchedBucket } from './searched-buckets.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
let stages = 0;
let ids = 0;

function systemLike(clock: HandClock): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, run) => clock.after(delayMs, run),
  };
}

/** A cluster with its leader, a bucket, and agents that run its jobs, in virtual time. */
async function stage(t: TestContext, clusterConfigs: Readonly<Record<string, string>> = {}) {
  const clock = new HandClock();
  const random = seededRandom(++stages);
  const metrics = new Metrics();
  /** How far the clocks of the store and of writing agents are behind, so that objects are old at once. */
  const past = { ms: 0 };
  const pastClock = { ...systemLike(clock), nowMs: () => clock.nowMs() - past.ms };
  const cluster = new TestCluster({ clock, clusterConfigs, agents: [testAgent('a'), testAgent('b')] });
  const { clusterId } = cluster;
  const open = async (name: string) => {
    const bucket = `file-jobs-${stages}-${name}`;
    t.after(() => dropMemoryBucket(bucket));
    const deps = { clock: pastClock, random, log: silentLog, metrics, environment: {} };
    return await openStore(`mem://${bucket}`, deps);
  };
  const bucket = await open('main');
  /** Keys that the bucket does not let anyone delete. */
  const denied = new Set<string>();
  const store: ObjectStore = {
    ...aroundStore(bucket, ({ run, signal }) => run(signal)),
    async deleteMany(keys, options) {
      const failed = keys
        .filter((key) => denied.has(key))
        .map((key) => ({ key, error: new StoreError('denied', key, 'S3 returned AccessDenied') }));
      if (failed.length === keys.length) throw failed[0]!.error;
      await bucket.deleteMany(
        keys.filter((key) => !denied.has(key)),
        options,
      );
      return failed;
    },
  };
  const agent = (agentId: string, settings: Partial<JobSettings> = {}) => {
    const service = jobService({
      clusterId,
      agentId,
      roles: ['jobs'],
      settings: { ...usualJobSettings, ...settings },
      cluster,
      view: {
        topicById: (topicId) => (topicId === 'living' ? ({} as never) : undefined),
        records: () => ({ byKey: new Map(), version: 0 }) as never,
      },
      store,
      cpuCount: 1,
      storedBytes: () => 0,
      mergePace: new MergePace(clock),
      random,
      clock,
      log: silentLog,
      metrics,
    });
    service.start();
    t.after(() => service.stop());
    return service;
  };
  return {
    clock,
    cluster,
    clusterId,
    store,
    denied,
    metrics,
    open,
    agent,
    past,
    newId: () => newFileId(pastClock.nowMs(), seededRandom(++ids)),
    /** Passes time, in which the agents send heartbeats. */
    async pass(ms: number) {
      for (let leftMs = ms; leftMs > 0; leftMs -= 5_000) {
        for (const agentId of ['a', 'b']) void cluster.heartbeat(testAgent(agentId));
        await clock.pass(Math.min(leftMs, 5_000));
      }
    },
    async put(fileId: string, into = store) {
      const key = logFileKey(clusterId, fileId);
      await into.put(key, [Buffer.from('records')]);
      return key;
    },
    async keys(from = store) {
      const keys: string[] = [];
      for await (const page of from.list('')) keys.push(...page.map(({ key }) => key));
      return keys;
    },
    jobs: async (kind: string): Promise<readonly [JobState, string][]> =>
      (await cluster.listJobs()).jobs
        .filter((job) => job.kind === kind)
        .map((job) => [job.state, job.message]),
    counted: (row: { readonly name: string }, outcome: string) =>
      metrics
        .read()
        .filter((reading) => reading.row.name === row.name)
        .flatMap(({ series }) => series)
        .filter(({ labels }) => labels.outcome === outcome)
        .reduce((sum, { value }) => sum + value, 0),
  };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** Uploads and commits files of a new topic. */
async function write({ cluster, clock, put, newId }: Stage, fileCount: number) {
  const { topicId } = cluster.addTopic(`topic-${cluster.calls.commitFiles}`);
  const keys: string[] = [];
  for (let n = 0; n < fileCount; n++) {
    const fileId = newId();
    keys.push(await put(fileId));
    const batches = [{ partition: 0, records: 3, maxTimestampMs: clock.nowMs() }];
    await cluster.commitFiles([commitOf(topicId, batches, fileId)]);
  }
  return { topicId, keys };
}

/** The same with ids of the present, in objects that are old. */
async function writeNow(staged: Stage, fileCount: number) {
  return write({ ...staged, newId: () => newFileId(staged.clock.nowMs(), seededRandom(++ids)) }, fileCount);
}

test('files of a deleted topic stay for the grace period, and are deleted then', async (t) => {
  const staged = await stage(t);
  const { cluster, agent, pass, keys, counted } = staged;
  const kept = await write(staged, 2);
  const gone = await write(staged, 3);
  agent('a');
  await cluster.removeTopics([{ topicId: gone.topicId }]);
  await pass(minuteMs);
  assert.equal((await cluster.fileTotals()).deadFiles, 3);
  await pass(8 * minuteMs);
  assert.equal((await keys()).length, 5);
  await pass(3 * minuteMs);
  assert.deepEqual(await keys(), kept.keys.toSorted());
  assert.equal((await cluster.fileTotals()).deadFiles, 0);
  assert.equal(counted(deadFileRows.deleted, 'success'), 3);
});

test('files that a clone needs are neither deleted nor orphans, until it needs them no more', async (t) => {
  const staged = await stage(t, { 'service.file.delete.delay.ms': '60000' });
  const { cluster, agent, pass, keys, past } = staged;
  past.ms = 7 * hourMs;
  const { topicId, keys: files } = await writeNow(staged, 3);
  await cluster.holdFiles('vci_clone');
  agent('a');
  await cluster.removeTopics([{ topicId }]);
  // Long enough for a scan.
  await pass(20 * minuteMs);
  assert.deepEqual(await keys(), files.toSorted());
  assert.equal((await cluster.fileTotals()).deadFiles, 0);
  const [first, ...others] = files.map((key) => key.slice(-32));
  assert.equal(await cluster.releaseHeldFiles('vci_clone', [first!]), 1);
  await pass(3 * minuteMs);
  assert.deepEqual(await keys(), files.slice(1).toSorted());
  assert.equal(await cluster.abandonHold('vci_clone'), true);
  assert.equal(await cluster.endHold('vci_clone'), true);
  assert.equal((await cluster.fileTotals()).deadFiles, others.length);
  await pass(3 * minuteMs);
  assert.deepEqual(await keys(), []);
});

test('the grace period is a config, and more files than one job takes are deleted job by job', async (t) => {
  const staged = await stage(t, { 'service.file.delete.delay.ms': '60000' });
  const { cluster, agent, pass, keys, jobs } = staged;
  const { topicId } = await write(staged, 2_100);
  agent('a');
  await cluster.removeTopics([{ topicId }]);
  await pass(3 * minuteMs);
  assert.deepEqual(await keys(), []);
  const done = (await jobs(fileDeletionKind)).map(([, message]) => message);
  assert.deepEqual(done, ['deleted 100 files', 'deleted 1000 files', 'deleted 1000 files']);
});

test('a bucket that forbids deletion loses nothing: the job fails with one line and is retried', async (t) => {
  const staged = await stage(t, { 'service.file.delete.delay.ms': '60000' });
  const { cluster, agent, pass, keys, jobs, denied, counted } = staged;
  const { topicId, keys: files } = await write(staged, 2);
  for (const key of files) denied.add(key);
  agent('a');
  await cluster.removeTopics([{ topicId }]);
  await pass(20 * minuteMs);
  assert.equal((await keys()).length, 2);
  const [[state, message]] = (await jobs(fileDeletionKind)) as [[JobState, string]];
  assert.equal(state, 'stopped');
  assert.match(message, /^failed to delete 2 of 2 files: service\/.*: S3 returned AccessDenied; check the/);
  assert.ok(cluster.calls.claimJobs < 200 && counted(deadFileRows.deleted, 'failure') <= 20, 'it backs off');
  // One of them may be deleted now, and is forgotten alone.
  denied.delete(files[0]!);
  await pass(11 * minuteMs);
  assert.deepEqual([await keys(), (await cluster.fileTotals()).deadFiles], [[files[1]], 1]);
  denied.clear();
  await pass(11 * minuteMs);
  assert.deepEqual([await keys(), (await cluster.fileTotals()).deadFiles], [[], 0]);
});

test('a cluster or an agent that keeps its files deletes none, and they are counted', async (t) => {
  const staged = await stage(t, { 'service.file.delete.enable': 'false' });
  const { cluster, agent, pass, keys } = staged;
  const { topicId } = await write(staged, 2);
  agent('a');
  await cluster.removeTopics([{ topicId }]);
  await pass(20 * minuteMs);
  assert.deepEqual([(await keys()).length, (await cluster.fileTotals()).deadFiles], [2, 2]);

  const other = await stage(t);
  const written = await write(other, 1);
  other.agent('a', { deletesFiles: false });
  await other.cluster.removeTopics([{ topicId: written.topicId }]);
  await other.pass(20 * minuteMs);
  assert.deepEqual([(await other.keys()).length, (await other.cluster.fileTotals()).deadFiles], [1, 1]);
  const { takers } = await other.cluster.listJobs();
  assert.equal(takers.find(({ kind }) => kind === fileDeletionKind)!.agentCount, 0);
});

test('an agent takes the categories that are selected', async (t) => {
  const { agent, cluster, pass } = await stage(t);
  agent('a', { categories: ['metrics'] });
  await pass(minuteMs);
  assert.equal(cluster.calls.claimJobs, 0);
  agent('b', { categories: ['metrics', 'deadscanner'] });
  await pass(minuteMs);
  assert.ok(cluster.calls.claimJobs > 0);
});

test('files are deleted in every bucket, wherever they lie', async (t) => {
  const staged = await stage(t, { 'service.file.delete.delay.ms': '60000' });
  const { cluster, agent, pass, keys, open, store } = staged;
  const { topicId, keys: files } = await write(staged, 2);
  const retired = await open('retired');
  await retired.put(files[0]!, [Buffer.from('records')]);
  await store.delete(files[0]!);
  agent('a', { additionalStores: [retired] });
  await cluster.removeTopics([{ topicId }]);
  await pass(3 * minuteMs);
  assert.deepEqual([await keys(), await keys(retired)], [[], []]);
});

test('the scan finds what was never committed, in all buckets, and touches nothing else', async (t) => {
  const staged = await stage(t);
  const { cluster, clusterId, agent, pass, past, keys, store, open, put, newId, counted } = staged;
  const kept = await write(staged, 2);
  const retired = await open('retired');
  // No agent can have missed it for so long.
  past.ms = 8 * 24 * hourMs;
  await store.put(sequenceEndKey(clusterId, '0'.repeat(13)), [Buffer.from('x')]);
  past.ms = 7 * hourMs;
  const orphans = [await put(newId()), await put(newId()), await put(newId(), retired)];
  const range = { fromOffset: 0, toOffset: 1, minTimeMs: 1, maxTimeMs: 1 };
  const goneSidecar = sidecarKey(clusterId, 'gone', range);
  const others = [
    bucketIdKey(clusterId),
    sidecarKey(clusterId, 'living', range),
    `service/${clusterId}/ab/${newId().slice(0, 30)}cd`,
    `service/${clusterId}/00/notes.txt`,
    `service/${clusterId}/backup/${newId()}`,
    sequenceEndKey(clusterId, '1'.repeat(13)),
    logFileKey('vci_other', newId()),
  ];
  for (const key of [...others, goneSidecar]) await store.put(key, [Buffer.from('x')]);
  past.ms = 5 * hourMs;
  const young = await put(newId());
  agent('a', { additionalStores: [retired] });
  await pass(19 * minuteMs);
  assert.equal((await cluster.fileTotals()).deadFiles, orphans.length);
  await pass(3 * minuteMs);
  assert.deepEqual(await keys(), [...kept.keys, ...others, young].sort());
  assert.deepEqual(await keys(retired), []);
  assert.equal(counted(deadFileRows.scanned, 'orphan'), orphans.length);
  assert.deepEqual((await cluster.fileTotals()).deadFiles, 0);
  assert.ok(counted(deadFileRows.scanned, 'foreign') > 0 && counted(deadFileRows.scanned, 'young') > 0);
});

test('files from before the cluster claimed its bucket are never orphans', async (t) => {
  const staged = await stage(t);
  const { cluster, clock, pass, put, newId, counted } = staged;
  await put(newId());
  await pass(minuteMs);
  // As after the loss of the database: the bucket has its id, and the new cluster takes it over.
  await cluster.claimBucket('bki_1');
  const claimedMs = clock.nowMs();
  await put(newId());
  await pass(10 * minuteMs);
  const claim = cluster.claimJobs({ agentId: 'a', kinds: [deadFileScanKind], slots: 1, waitMs: 1_000 });
  await pass(1_000);
  const { knownFromMs, ageMsMin } = readScanTask((await claim)[0]!.task);
  assert.deepEqual([knownFromMs, ageMsMin], [claimedMs, 6 * hourMs]);
  assert.equal(await scanNow(staged, {}, { knownFromMs }).run(), 'scanned 2 objects, 1 orphans');
  assert.equal(counted(deadFileRows.scanned, 'older_than_cluster'), 1);
});

/** A scan as it runs on an agent, of objects of any age. */
function scanNow(
  { cluster, clusterId, store, clock, metrics }: Stage,
  hooks: Partial<TestCluster> = {},
  task: Partial<ScanTask> = {},
  deletes = true,
  buckets: () => readonly SearchedBucket[] = () => [{ number: 0, open: () => store }],
) {
  const port = {
    unknownFiles: (fileIds: readonly string[]) => cluster.unknownFiles(fileIds),
    declareFilesDead: (files: Parameters<TestCluster['declareFilesDead']>[0]) =>
      cluster.declareFilesDead(files),
    ...hooks,
  };
  const scan = deadFileScan({
    clusterId,
    port,
    buckets,
    checkOwner: async () => {},
    hasTopic: () => false,
    deletes,
    clock,
    metrics,
  });
  const progress: Uint8Array[] = [];
  return {
    progress,
    run: (checkpoint: Uint8Array | null = null, signal = new AbortController().signal) =>
      scan.run(writeScanTask({ knownFromMs: 0, ageMsMin: 0, orphanPercentMax: 50, ...task }), {
        signal,
        checkpoint,
        progress: (_done, _total, reached) => progress.push(reached!),
      }),
  };
}

test('the scan compares within a bucket: a copy of a file in another one is left alone', async (t) => {
  const staged = await stage(t);
  const { store, open, put, keys, clock, counted } = staged;
  const second = await open('second');
  const idIn = (bucket: number) => newFileId(clock.nowMs(), seededRandom(++ids), bucket);
  const copied = idIn(0);
  await put(copied);
  await put(copied, second);
  await put(idIn(1));
  await put(idIn(1), second);
  const buckets: readonly SearchedBucket[] = [
    { number: 0, open: () => store },
    { number: 1, open: () => second },
    {
      number: 2,
      open() {
        throw new StoreError('denied', 'bucket 2', 'may not be used');
      },
    },
  ];
  const all = [await keys(), await keys(second)];
  const scan = scanNow(staged, {}, { orphanPercentMax: 100 }, true, () => buckets);
  assert.match(await scan.run(), /^scanned 4 objects, 2 orphans; not searched: bucket 2: may not be used/);
  assert.equal(counted(deadFileRows.scanned, 'foreign'), 2);
  assert.deepEqual([await keys(), await keys(second)], all, 'a scan deletes no file');
});

test('a file that is committed while the scan looks at it is not declared dead', async (t) => {
  const staged = await stage(t);
  const { cluster, put, newId } = staged;
  const { topicId } = cluster.addTopic('orders');
  const fileId = newId();
  await put(fileId);
  const scan = scanNow(staged, {
    async unknownFiles(fileIds) {
      const unknown = await cluster.unknownFiles(fileIds);
      await cluster.commitFiles([commitOf(topicId, [{ partition: 0, records: 1 }], fileId)]);
      return unknown;
    },
  });
  assert.equal(await scan.run(), 'scanned 1 objects, 0 orphans');
  const { levels, deadFiles } = await cluster.fileTotals();
  assert.deepEqual([levels[0]!.files, deadFiles], [1, 0]);
});

test('a file that was declared dead cannot be committed, neither before nor after its deletion', async (t) => {
  const staged = await stage(t, { 'service.file.delete.delay.ms': '60000' });
  const { cluster, put, newId, agent, pass, keys } = staged;
  const { topicId } = cluster.addTopic('orders');
  const fileId = newId();
  await put(fileId);
  assert.equal(await scanNow(staged).run(), 'scanned 1 objects, 1 orphans');
  const commit = async () => {
    const [result] = await cluster.commitFiles([commitOf(topicId, [{ partition: 0, records: 1 }], fileId)]);
    return entryErrors[result!.error[0]!];
  };
  assert.equal(await commit(), 'KAFKA_STORAGE_ERROR');
  agent('a');
  await pass(2 * minuteMs);
  assert.deepEqual(await keys(), []);
  assert.equal(await commit(), 'KAFKA_STORAGE_ERROR');
  const { levels, deadFiles } = await cluster.fileTotals();
  assert.deepEqual([levels.length === 0 || levels[0]!.files === 0, deadFiles], [true, 0]);
});

test('a scan that was given back continues where it was', async (t) => {
  const staged = await stage(t);
  const { put, newId, cluster } = staged;
  for (let n = 0; n < 1_500; n++) await put(newId());
  const task = { orphanPercentMax: 100 };
  const first = scanNow(
    staged,
    {
      unknownFiles: (fileIds) =>
        first.progress.length === 0 ? cluster.unknownFiles(fileIds) : Promise.reject(new Error('stopped')),
    },
    task,
  );
  await assert.rejects(first.run(), /stopped/);
  assert.equal((await cluster.fileTotals()).deadFiles, 1_000);
  const asked: number[] = [];
  const second = scanNow(
    staged,
    {
      unknownFiles(fileIds) {
        asked.push(fileIds.length);
        return cluster.unknownFiles(fileIds);
      },
    },
    task,
  );
  assert.equal(await second.run(first.progress.at(-1)!), 'scanned 1500 objects, 1500 orphans');
  assert.deepEqual(asked, [500]);
  assert.equal(await scanNow(staged).run(Buffer.from('{}')), 'scanned 1500 objects, 0 orphans');
});

test('a scan that knows less than half of many files stops, declares none, and says how to confirm', async (t) => {
  const staged = await stage(t);
  const { put, newId, cluster, agent, pass, past, jobs, keys } = staged;
  // As with a database that is not the one of the bucket.
  past.ms = 7 * hourMs;
  for (let n = 0; n < 1_100; n++) await put(newId());
  agent('a');
  await pass(15 * minuteMs);
  const [[state, message]] = (await jobs(deadFileScanKind)) as [[JobState, string]];
  assert.equal(state, 'stopped');
  assert.match(message, /^1100 of the 1100 files seen are unknown .* none of them was touched\./);
  assert.match(message, /set service\.dead\.file\.scan\.orphan\.percent\.max to 100/);
  assert.equal((await cluster.fileTotals()).deadFiles, 0);
  const name = 'service.dead.file.scan.orphan.percent.max';
  const changes = [{ name, operation: 'set', value: '100' } as const];
  await cluster.alterConfigs([{ kind: 'cluster', name: '', replacesAll: false, changes }], {
    validateOnly: false,
  });
  await pass(hourMs + 20 * minuteMs);
  assert.match((await jobs(deadFileScanKind))[0]![1], /scanned 1100 objects, 1100 orphans/);
  assert.deepEqual(await keys(), []);
});

test('few orphans are declared dead whatever their share, and a checkpoint does not pass those held back', async (t) => {
  const staged = await stage(t);
  const { put, newId, cluster } = staged;
  for (let n = 0; n < 900; n++) await put(newId());
  const scan = scanNow(staged, {
    declareFilesDead: () => Promise.reject(new Error('stopped')),
  });
  await assert.rejects(scan.run(), /stopped/);
  const again = scanNow(staged);
  assert.equal(await again.run(scan.progress.at(-1)!), 'scanned 900 objects, 900 orphans');
  assert.equal((await cluster.fileTotals()).deadFiles, 900);
});

test('the scan aborts old uploads of files that were never finished, and no others', async (t) => {
  const staged = await stage(t);
  const { clusterId, store, clock, newId, counted } = staged;
  const oldMs = clock.nowMs() - 24 * hourMs - 1;
  const ours = { key: logFileKey(clusterId, newId()), uploadId: '1', begunMs: oldMs };
  const left = [
    ours,
    { ...ours, uploadId: '2', begunMs: oldMs + 1_000 },
    { key: `service/${clusterId}/backup/part`, uploadId: '3', begunMs: oldMs },
    { key: logFileKey(clusterId, newId()), uploadId: '4', begunMs: oldMs },
  ];
  const aborted: string[] = [];
  const incompleteUploads: ObjectStore['incompleteUploads'] = {
    async list(prefix, { from } = {}) {
      assert.equal(prefix, `service/${clusterId}/`);
      const at = from === undefined ? 0 : Number(from.uploadId);
      const next = at + 2 < left.length ? { key: '', uploadId: String(at + 2) } : undefined;
      return { uploads: left.slice(at, at + 2), next };
    },
    async abort({ uploadId }) {
      aborted.push(uploadId);
    },
  };
  const withUploads = { ...staged, store: { ...store, incompleteUploads } };
  assert.equal(
    await scanNow(withUploads).run(),
    'scanned 0 objects, 0 orphans; removed 2 incomplete uploads',
  );
  assert.deepEqual(aborted, ['1', '4']);
  for (const [outcome, uploads] of [
    ['aborted', 2],
    ['young', 1],
    ['foreign', 1],
  ] as const)
    assert.equal(counted(deadFileRows.uploads, outcome), uploads, outcome);
  await scanNow(withUploads, {}, {}, false).run();
  assert.equal(counted(deadFileRows.uploads, 'left'), 2);
  assert.equal(aborted.length, 2);
});

test('a scan that may not list uploads goes on, and one whose store does not answer fails', async (t) => {
  const staged = await stage(t);
  const refusing = (kind: 'denied' | 'unavailable') => ({
    ...staged,
    store: {
      ...staged.store,
      incompleteUploads: {
        list: () => Promise.reject(new StoreError(kind, 's3://records', 'S3 returned so')),
        abort: async () => {},
      },
    },
  });
  assert.match(
    await scanNow(refusing('denied')).run(),
    /^scanned 0 objects, 0 orphans; incomplete uploads were not removed: s3:\/\/records: S3 returned so/,
  );
  assert.equal(staged.counted(deadFileRows.uploads, 'denied'), 1);
  await assert.rejects(scanNow(refusing('unavailable')).run(), { kind: 'unavailable' });
});

test('nothing is deleted once the cluster was restored into another database', async (t) => {
  const staged = await stage(t, { 'service.file.delete.delay.ms': '60000' });
  const { cluster, clusterId, store, agent, pass, past, put, newId, jobs, keys } = staged;
  const { topicId } = await write(staged, 2);
  past.ms = 7 * hourMs;
  await put(newId());
  await store.put(restoreFenceKey(clusterId, 1), [Buffer.from('restored')]);
  agent('a');
  await cluster.removeTopics([{ topicId }]);
  await pass(15 * minuteMs);
  assert.equal((await keys()).length, 4);
  assert.deepEqual((await cluster.fileTotals()).deadFiles, 2);
  for (const kind of [fileDeletionKind, deadFileScanKind])
    assert.match((await jobs(kind))[0]![1], /was restored into another database/, kind);
});

test('a job survives its agent and its leader', async (t) => {
  const staged = await stage(t, { 'service.file.delete.delay.ms': '60000' });
  const { cluster, agent, pass, keys, jobs } = staged;
  const { topicId } = await write(staged, 3);
  await cluster.removeTopics([{ topicId }]);
  // An agent that takes the job and dies.
  await pass(2 * minuteMs);
  const claim = cluster.claimJobs({ agentId: 'b', kinds: [fileDeletionKind], slots: 1, waitMs: 0 });
  await pass(1_000);
  assert.equal((await claim)[0]!.kind, fileDeletionKind);
  agent('a');
  await pass(5_000);
  assert.equal((await jobs(fileDeletionKind))[0]![0], 'running');
  await pass(minuteMs);
  assert.deepEqual(await keys(), []);
  cluster.failOver();
  await pass(minuteMs);
  assert.deepEqual(await jobs(deadFileScanKind), []);
  assert.equal((await cluster.fileTotals()).deadFiles, 0);
});
