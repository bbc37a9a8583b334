import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchOf } from '@weir/broker/testing';
import {
  entryErrors,
  type FileCommit,
  type FileCommitResult,
  type FilesToCommit,
  filesToSend,
  writeReplayTask,
} from '@weir/cluster';
import { Metrics, MiB, seededRandom } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import {
  aroundStore,
  buildLogFile,
  logFileKey,
  newFileId,
  type ObjectStore,
  withFileId,
} from '@weir/storage';
import { emptyMemoryStore } from '@weir/storage/testing';
import { jobLimits } from './limits.ts';
import { sequenceReplay } from './sequence-replay.ts';

const clusterId = 'vci_test';
const sequenceId = '0123456789abc';
const topicId = Buffer.alloc(16, 1).toString('base64url');
const fromMs = 1_700_000_000_000;
const task = writeReplayTask({ sequenceId, fromMs: fromMs - 1 });

/** A leader that knows which files are committed, and a bucket whose requests are counted and may be held. */
function stage() {
  const clock = new HandClock();
  const random = seededRandom(1);
  const inner = emptyMemoryStore();
  const committed: string[] = [];
  const closed: string[] = [];
  const counts = { requests: [] as string[], commits: [] as number[], questions: [] as number[] };
  const hooks = { beforeRead: async (_key: string) => {}, beforeCommit: async () => {} };
  const running = { reads: 0, readsMax: 0 };
  const store: ObjectStore = aroundStore(inner, async ({ operation, key, run, signal }) => {
    counts.requests.push(operation);
    if (operation !== 'getRange') return await run(signal);
    running.readsMax = Math.max(running.readsMax, ++running.reads);
    try {
      await hooks.beforeRead(key);
      return await run(signal);
    } finally {
      running.reads--;
    }
  });
  const { run } = sequenceReplay({
    clusterId,
    port: {
      async unknownFiles(fileIds) {
        counts.questions.push(fileIds.length);
        const known = new Set(committed);
        return fileIds.filter((fileId) => !known.has(fileId));
      },
      async commitFiles(wanted: FilesToCommit) {
        const files = filesToSend(wanted);
        counts.commits.push(files.length);
        await hooks.beforeCommit();
        const known = new Set(committed);
        return files.map((file) => {
          const isKnown = known.has(file.fileId);
          if (!isKnown) committed.push(file.fileId);
          return resultOf(file, isKnown);
        });
      },
      async closeFileSequences(sequenceIds) {
        closed.push(...sequenceIds);
      },
    },
    buckets: () => [{ number: 0, open: () => store }],
    checkOwner: async () => {},
    clock,
    metrics: new Metrics(),
  });
  return {
    bucket: inner,
    committed,
    closed,
    counts,
    hooks,
    running,
    /** Stores files, each with a batch in some partitions; returns their ids. */
    async store(count: number, partitions: number, batch = batchOf(['a'])): Promise<string[]> {
      const fileIds = Array.from({ length: count }, (_, n) =>
        newFileId(fromMs + n, random, 0, { sequence: sequenceId }),
      );
      const batches = Array.from({ length: partitions }, (_, partition) => ({
        topicId,
        partition,
        bytes: batch,
      }));
      const { slices } = buildLogFile({ clusterId, fileId: fileIds[0]!, batches });
      for (const fileId of fileIds)
        await inner.put(logFileKey(clusterId, fileId), withFileId(slices, clusterId, fileId));
      return fileIds;
    },
    run: (progress: (done: number, total?: number) => void = () => {}) =>
      run(task, { signal: new AbortController().signal, checkpoint: null, progress }),
  };
}

function resultOf({ topic: { length } }: FileCommit, isKnown: boolean): FileCommitResult {
  return {
    error: new Uint8Array(length).fill(isKnown ? entryErrors.indexOf('KAFKA_STORAGE_ERROR') : 0),
    baseOffset: new Float64Array(length),
    logStartOffset: new Float64Array(length),
  };
}

test('a small file costs one request, however many partitions it has, and files are committed in order', async () => {
  const { store, run, committed, closed, counts } = stage();
  const partitions = 6;
  const fileIds = await store(1_700, partitions);
  const progress: (number | undefined)[][] = [];
  assert.equal(
    await run((done, total) => progress.push([done, total])),
    `committed 1700 of 1700 files with ${1_700 * partitions} batches`,
  );
  assert.deepEqual(committed, fileIds);
  assert.deepEqual(closed, [sequenceId]);
  assert.deepEqual(counts.commits, [500, 500, 500, 200]);
  assert.deepEqual(counts.questions, [500, 500, 500, 200]);
  const lists = counts.requests.filter((operation) => operation === 'list').length;
  assert.equal(counts.requests.length - lists, fileIds.length);
  assert.deepEqual(progress.at(-1), [1_700, 1_700]);
});

test('a large file is read piece by piece', async () => {
  const { store, run, committed, counts } = stage();
  const batch = batchOf([Buffer.alloc(jobLimits.replayedFileBytesMax / 2)]);
  const fileIds = await store(2, 3, batch);
  await run();
  assert.deepEqual(committed, fileIds);
  assert.equal(counts.requests.filter((operation) => operation === 'head').length, 2);
});

test('files that the cluster knows are not read', async () => {
  const { store, run, committed, closed, counts } = stage();
  const fileIds = await store(1_200, 1);
  const known = fileIds.filter((_, n) => n < 600 || n % 7 === 0);
  committed.push(...known);
  assert.match(await run(), /^committed \d+ of 1200 files/);
  assert.deepEqual(new Set(committed), new Set(fileIds));
  assert.deepEqual(
    committed.slice(known.length),
    fileIds.filter((fileId) => !known.includes(fileId)),
  );
  assert.equal(
    counts.requests.filter((operation) => operation === 'getRange').length,
    fileIds.length - known.length,
  );
  assert.deepEqual(closed, [sequenceId]);
});

test('files are read while a call commits those before them, which no other call overtakes', async () => {
  const { store, run, committed, counts, hooks } = stage();
  const fileIds = await store(1_700, 1);
  const held: (() => void)[] = [];
  hooks.beforeCommit = () => new Promise((resolve) => held.push(resolve));
  const running = run();
  for (let calls = 1; calls <= 4; calls++) {
    await settle();
    await settle();
    assert.equal(counts.commits.length, calls, 'one call at a time');
    if (calls === 1) {
      const read = counts.requests.filter((operation) => operation === 'getRange').length;
      assert.ok(read >= 1_000, `only ${read} files are read`);
      const most = 2 * jobLimits.replayedFilesPerCallMax + jobLimits.replayedFilesAheadMax + 1;
      assert.ok(read <= most, `${read} files are in memory`);
    }
    held.shift()!();
  }
  await running;
  assert.deepEqual(committed, fileIds);
});

test('jobs of an agent share what may be read at a time', async () => {
  const { store, run, hooks, running } = stage();
  await store(300, 1);
  const held: (() => void)[] = [];
  hooks.beforeRead = () => new Promise((resolve) => held.push(resolve));
  const jobs = Promise.all([run(), run(), run()]);
  let isOver = false;
  jobs.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await settle();
    for (const release of held.splice(0, 3)) release();
  }
  assert.equal(running.readsMax, jobLimits.replayedFilesReadMax);
});

test('large files are read by fewer at a time', async () => {
  const { store, run, hooks, running } = stage();
  await store(12, 1, batchOf([Buffer.alloc(jobLimits.replayedFileBytesMax - MiB)]));
  hooks.beforeRead = () => settle();
  await run();
  assert.equal(running.readsMax, jobLimits.replayedReadBytesMax / jobLimits.replayedFileBytesMax);
});

test('a file that cannot be read fails the job, which closes nothing and commits nothing behind it', async () => {
  const { store, run, committed, closed, hooks } = stage();
  const fileIds = await store(1_300, 2);
  const key = logFileKey(clusterId, fileIds[1_100]!);
  hooks.beforeRead = async (read) => {
    if (read === key) throw new Error('the store is on fire');
  };
  await assert.rejects(run(), /on fire/);
  assert.deepEqual(closed, []);
  assert.deepEqual(committed, fileIds.slice(0, committed.length));
  assert.ok(committed.length <= 1_100);
  hooks.beforeRead = async () => {};
  await run();
  assert.deepEqual(committed, fileIds);
  assert.deepEqual(closed, [sequenceId]);
});

test('a file that is damaged fails the job, which names it', async () => {
  const { store, bucket, run, committed, closed } = stage();
  const fileIds = await store(10, 2);
  const key = logFileKey(clusterId, fileIds[4]!);
  const bytes = await bucket.getRange(key, 0, MiB);
  await bucket.put(key, [bytes.subarray(0, bytes.length - 1)]);
  await assert.rejects(run(), new RegExp(`${key}: `));
  assert.deepEqual([committed, closed], [[], []]);
});

test('a commit that fails ends the job, which commits nothing behind it', async () => {
  for (const failing of [1, 2, 3]) {
    const { store, run, committed, closed, counts, hooks } = stage();
    const fileIds = await store(1_300, 1);
    let calls = 0;
    hooks.beforeCommit = async () => {
      await settle();
      if (++calls === failing) throw new Error('the leader is gone');
    };
    await assert.rejects(run(), /leader is gone/);
    assert.deepEqual(closed, []);
    assert.equal(counts.commits.length, failing);
    assert.deepEqual(committed, fileIds.slice(0, (failing - 1) * jobLimits.replayedFilesPerCallMax));
    await run();
    assert.deepEqual(committed, fileIds);
    assert.deepEqual(closed, [sequenceId]);
  }
});
