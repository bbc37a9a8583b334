import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { batchOf, produced } from '@weir/broker/testing';
import {
  type CompactionCommit,
  type CompactionJob,
  noRangeFile,
  readCompactionTask,
  writeCompactionTask,
} from '@weir/cluster';
import { fileIdBucket, fileIdLevel, Metrics } from '@weir/core';
import { logFileKey } from '@weir/storage';
import { CompactionStage } from '../../testing/compaction-stage.ts';
import { jobLimits } from '../limits.ts';
import { fileCompaction } from './file-compaction.ts';
import type { MergeResult } from './merge-files.ts';

/** Two topics, whose files one agent merges and deletes. */
async function stage(t: TestContext) {
  const stage = new CompactionStage(t);
  const { path, cluster, store, runner } = stage;
  const [first, second] = ['orders', 'payments'].map(
    (name) => cluster.addTopic(name, 2, { 'retention.ms': '-1' }).topicId,
  );
  await path.ready();
  return {
    path,
    cluster,
    store,
    runner,
    topicIds: [first!, second!] as const,
    onMerge: (then: typeof stage.onMerged) => {
      stage.onMerged = then;
    },
    /** Writes files, each with a record for some partitions. */
    async write(files: number) {
      for (let file = 0; file < files; file++) {
        path.clock.advance(100);
        const batches = [first!, second!].flatMap((topicId) =>
          [0, 1].map((partition) =>
            produced(topicId, partition, batchOf([`${topicId} ${partition} ${file}`])),
          ),
        );
        await path.writePath.append(batches.slice(0, 1 + (file % 4)), { deadlineMs: 1e15 });
      }
    },
    pass: (durationMs: number) => stage.pass(durationMs),
    read: (topic: string, partition: number, fromOffset?: bigint) => stage.read(topic, partition, fromOffset),
    async readAll(): Promise<string[][]> {
      const all: string[][] = [];
      for (const topic of ['orders', 'payments'])
        for (const partition of [0, 1]) all.push(await stage.read(topic, partition));
      return all;
    },
    levels: () => stage.fileIds().map(fileIdLevel).sort(),
    key: (fileId: string) => logFileKey(cluster.clusterId, fileId),
    jobs: async () =>
      (await stage.jobs('file_compaction')).map(([state, , message]) => [state, message] as const),
  };
}

test('old files are merged, readers get the same records, and the old files are deleted', async (t) => {
  const { path, runner, write, pass, readAll, levels, jobs } = await stage(t);
  await write(40);
  const before = await readAll();
  assert.deepEqual(
    before.map(({ length }) => length),
    [40, 30, 20, 10],
  );
  runner.start();
  await pass(30_000);
  assert.deepEqual(await jobs(), [['done', (await jobs())[0]![1]]]);
  assert.match((await jobs())[0]![1], /^merged 32 files into 1 of level 1, \d+ bytes$/);
  assert.deepEqual(await readAll(), before);
  assert.equal(levels().length, 41, 'the old files stay for readers that use them');
  // The other eight are merged when they have waited for long enough.
  await pass(30 * 60_000);
  assert.deepEqual(levels(), [1, 1]);
  assert.deepEqual(await readAll(), before);
  await write(3);
  assert.equal((await readAll()).flat().length, before.flat().length + 6, 'and new ones follow');
  assert.ok(path.metrics.render().includes('agent_compaction_ranges_total{outcome="replaced"}'));
});

test('with a bucket of its own for merged files, the bucket of new files empties', async (t) => {
  const stage = new CompactionStage(t);
  const { cluster, path, runner } = stage;
  const { topicId } = cluster.addTopic('orders', 1, { 'retention.ms': '-1' });
  await path.ready();
  await cluster.claimBucket('first');
  const number = await cluster.registerBucket({ bucketId: 'second', url: null });
  stage.compactionBucket = number;
  for (let file = 0; file < 40; file++) {
    path.clock.advance(100);
    await stage.append(topicId, 0, batchOf([`value ${file}`]));
  }
  const before = await stage.read('orders', 0);
  const buckets = () => new Set(stage.fileIds().map(fileIdBucket));
  assert.deepEqual(buckets(), new Set([0]));
  runner.start();
  await stage.pass(30 * 60_000);
  assert.ok(number > 0);
  assert.deepEqual(buckets(), new Set([number]));
  assert.deepEqual(await stage.read('orders', 0), before);
});

test('what is deleted while files are merged stays deleted, and the rest moves', async (t) => {
  const { cluster, runner, write, pass, read, readAll, onMerge, topicIds, jobs } = await stage(t);
  await write(40);
  const before = await readAll();
  onMerge(async () => {
    onMerge(() => {});
    await cluster.deleteRecords([
      { topicId: topicIds[0], partition: 0, offset: 40 },
      { topicId: topicIds[0], partition: 1, offset: 7 },
    ]);
  });
  runner.start();
  await pass(30_000);
  assert.equal((await jobs())[0]![0], 'done');
  assert.deepEqual(await read('orders', 0, 40n), []);
  assert.deepEqual(await read('orders', 1, 7n), before[1]!.slice(7));
  assert.deepEqual(await read('payments', 0), before[2]);
  assert.deepEqual(await read('payments', 1), before[3]);
  const [found] = await cluster.findBatches([
    { topicId: topicIds[0], partition: 1, offset: 7, bytesMax: 1e9 },
  ]);
  assert.equal(fileIdLevel(found!.pointers.fileId[0]!), 1);
});

test('damaged files fail the job, lose nothing, and wait before the next attempt', async (t) => {
  const { store, runner, write, pass, readAll, key, jobs, cluster, topicIds } = await stage(t);
  await write(40);
  const before = await readAll();
  const [answer] = await cluster.findBatches([
    { topicId: topicIds[1], partition: 1, offset: 0, bytesMax: 1 },
  ]);
  const { pointers } = answer!;
  const damagedKey = key(pointers.fileId[0]!);
  const good = store.objects.get(damagedKey)!;
  const bad = Buffer.from(good);
  bad[pointers.byteStart[0]! + 65]! ^= 1;
  store.objects.set(damagedKey, bad);
  runner.start();
  await pass(25_000);
  const [[state, message]] = (await jobs()) as [readonly [string, string]];
  assert.deepEqual([state, message.startsWith('1 ranges stay: ')], ['failing', true], message);
  store.objects.set(damagedKey, good);
  assert.deepEqual(await readAll(), before);
  await pass(60_000);
  assert.deepEqual(await readAll(), before);
});

test('a merge of many partitions is committed in parts, each range and each new file once', async () => {
  const { compactionRangesPerCommitMax: perCommit } = jobLimits;
  const count = 2 * perCommit + 3;
  const rows = Array.from({ length: count }, (_, row) => row);
  const [one, two, empty] = ['1', '2', '3'].map((digit) => digit.repeat(32)) as [string, string, string];
  const job: CompactionJob = {
    plannedMs: 0,
    level: 1,
    inputs: [{ fileId: 'a'.repeat(32), fileBytes: 7 }],
    topicIds: ['topic'],
    ranges: {
      topic: new Uint32Array(count),
      partition: Uint32Array.from(rows),
      fromOffset: new Float64Array(count),
      toOffset: new Float64Array(count).fill(1),
      pointerCount: new Uint32Array(count).fill(1),
    },
    pointers: {
      file: new Uint32Array(count),
      byteStart: Uint32Array.from(rows),
      byteLength: new Uint32Array(count).fill(1),
      baseOffset: new Float64Array(count),
      maxTimestampMs: new Float64Array(count),
    },
  };
  const merged: MergeResult = {
    files: [one, two, empty].map((fileId) => ({ fileId, fileBytes: count })),
    ranges: rows.map((partition) => ({
      topicId: 'topic',
      partition,
      baseOffset: 0,
      nextOffset: 1,
      pointers: [
        {
          // The first file ends within the second part.
          fileId: partition < 1.5 * perCommit ? one : two,
          byteStart: partition,
          byteLength: 1,
          baseOffset: 0,
          nextOffset: 1,
          maxTimestampMs: 0,
        },
      ],
    })),
    refused: [],
    bytesRead: 0,
    bytesWritten: 0,
    requestCount: 0,
    inputBytesHeldMax: 0,
  };
  const commits: CompactionCommit[] = [];
  const kind = fileCompaction({
    clusterId: 'vci_test',
    port: {
      async replaceRanges(commit) {
        commits.push(commit);
        return { outcome: 'done', isReplaced: new Uint8Array(commit.ranges.topic.length).fill(1) };
      },
    },
    checkOwner: async () => {},
    merge: async () => merged,
    clock: { nowMs: () => 0 },
    metrics: new Metrics(),
  });
  const context = { signal: new AbortController().signal, checkpoint: null, progress() {} };
  await kind.run(writeCompactionTask(job), context);
  assert.deepEqual(
    commits.map(({ outputs }) => outputs.map(({ fileId, isContinued }) => [fileId, isContinued ?? false])),
    [
      [
        [one, false],
        [empty, false],
      ],
      [
        [one, true],
        [two, false],
      ],
      [[two, true]],
    ],
  );
  assert.deepEqual(
    commits.flatMap(({ ranges }) => [...ranges.partition]),
    rows,
  );
  const named = commits.flatMap(({ pointers, outputs }) =>
    Array.from(pointers.file, (file) => outputs[file]!.fileId),
  );
  assert.deepEqual(
    named,
    merged.ranges.map(({ pointers }) => pointers[0]!.fileId),
  );
});

test('a task is read as it was written', () => {
  const job: CompactionJob = {
    plannedMs: 1_700_000_000_000,
    level: 2,
    inputs: [{ fileId: 'a'.repeat(32), fileBytes: 7 }],
    topicIds: ['one', 'two'],
    ranges: {
      topic: Uint32Array.of(0, 1),
      partition: Uint32Array.of(3, 4),
      fromOffset: Float64Array.of(0, 2 ** 40),
      toOffset: Float64Array.of(5, 2 ** 40 + 1),
      pointerCount: Uint32Array.of(2, 1),
    },
    pointers: {
      file: Uint32Array.of(0, noRangeFile, 0),
      byteStart: Uint32Array.of(1, 0, 2),
      byteLength: Uint32Array.of(10, 0, 20),
      baseOffset: Float64Array.of(0, 4, 2 ** 40),
      maxTimestampMs: Float64Array.of(-1, 5, 6),
    },
  };
  assert.deepEqual(readCompactionTask(writeCompactionTask(job)), job);
  const markers = {
    row: Uint32Array.of(1),
    isCommit: Uint8Array.of(1),
    producerId: Float64Array.of(9),
    producerEpoch: Int16Array.of(2),
    timestampMs: Float64Array.of(5),
  };
  const marked = { ...job, markers };
  assert.deepEqual(readCompactionTask(writeCompactionTask(marked)), marked);
  assert.throws(() => readCompactionTask(writeCompactionTask(job).subarray(0, -1)), RangeError);
});
