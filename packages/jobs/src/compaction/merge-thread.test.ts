import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { batchOf } from '@weir/broker/testing';
import { fileIdBucket, Metrics, seededRandom, silentLog, systemClock, systemRandom } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import {
  buildLogFile,
  createBucket,
  logFileKey,
  newFileId,
  type ObjectStore,
  openStore,
} from '@weir/storage';
import type { MergeTask } from './merge-messages.ts';
import { MergeThreads } from './merge-thread.ts';

const clusterId = 'vci_test';
const topicId = Buffer.alloc(16, 1).toString('base64url');
const never = new AbortController().signal;

async function withBucket(
  run: (store: ObjectStore, task: MergeTask, folder: string, threads: MergeThreads) => Promise<void>,
): Promise<void> {
  const threads = new MergeThreads({ clock: systemClock });
  const folder = await mkdtemp(join(tmpdir(), 'weir-merge-'));
  try {
    const bucketUrl = `file://${folder}`;
    const deps = { clock: systemClock, random: systemRandom, log: silentLog, metrics: new Metrics() };
    await createBucket(bucketUrl);
    const store = await openStore(bucketUrl, { ...deps, environment: {} });
    const random = seededRandom(1);
    const fileIds = [1, 2].map((timeMs) => newFileId(timeMs, random));
    const rows = [];
    for (const [index, fileId] of fileIds.entries()) {
      const bytes = batchOf([`value ${index}`]);
      const { slices, placed } = buildLogFile({
        clusterId,
        fileId,
        batches: [{ topicId, partition: 0, bytes }],
      });
      await store.put(logFileKey(clusterId, fileId), slices);
      rows.push({ fileId, byteStart: placed.byteStart[0]!, byteLength: bytes.length });
    }
    const pointers = {
      fileId: fileIds,
      byteStart: Float64Array.from(rows, ({ byteStart }) => byteStart),
      byteLength: Float64Array.from(rows, ({ byteLength }) => byteLength),
      baseOffset: Float64Array.of(0, 1),
      nextOffset: Float64Array.of(1, 2),
    };
    const plan = { clusterId, level: 1, runs: [{ topicId, partition: 0, pointers }] };
    await run(
      store,
      { bucketUrl, environment: {}, usesMetadataService: false, plan, limits: {} },
      folder,
      threads,
    );
    await store.close();
  } finally {
    await threads.end();
    await rm(folder, { recursive: true });
  }
}

test('a merge in a thread of its own writes files that others read', async () => {
  await withBucket(async (store, task, _folder, threads) => {
    const seen: number[] = [];
    const requested = new Map<string, number>();
    const { files, ranges } = await threads.merge(task, {
      signal: never,
      onRequests(bucket, operation, count) {
        assert.ok(task.bucketUrl.startsWith(bucket.slice(0, 7)));
        requested.set(operation, count);
      },
      progress: (copiedBytes, totalBytes) => void seen.push(copiedBytes / totalBytes),
    });
    assert.equal(seen.at(-1), 1);
    assert.ok(requested.get('getRange')! > 0 && requested.get('finishUpload') === 1);
    const [file] = files;
    assert.equal((await store.head(logFileKey(clusterId, file!.fileId)))?.bytes, file!.fileBytes);
    assert.deepEqual(
      ranges[0]?.pointers.map(({ baseOffset, nextOffset }) => [baseOffset, nextOffset]),
      [[0, 2]],
    );
  });
});

test('a merge waits while others need the disk, and can be stopped meanwhile', async () => {
  await withBucket(async (_store, task, folder, threads) => {
    let asked = 0;
    const { files } = await threads.merge(task, {
      signal: never,
      hasToWait: () => ++asked <= 2,
    });
    assert.equal(files.length, 1);
    assert.ok(asked >= 3);

    const filesBefore = (await readdir(folder, { recursive: true })).sort();
    const stop = new AbortController();
    let askedAgain = 0;
    const merging = threads.merge(task, {
      signal: stop.signal,
      hasToWait() {
        if (++askedAgain === 3) stop.abort(new Error('agent is shutting down'));
        return true;
      },
    });
    await assert.rejects(merging, /agent is shutting down/);
    assert.deepEqual((await readdir(folder, { recursive: true })).sort(), filesBefore);
  });
});

test('a merge reads files of several buckets and writes to one of them', async () => {
  await withBucket(async (first, task, folder, threads) => {
    const secondUrl = `file://${folder}/second`;
    const deps = { clock: systemClock, random: systemRandom, log: silentLog, metrics: new Metrics() };
    await createBucket(secondUrl);
    const second = await openStore(secondUrl, { ...deps, environment: {} });
    const [run] = task.plan.runs;
    const { pointers } = run!;
    // One of the two files moves to the other bucket, under an id that says so.
    const movedId = newFileId(2, seededRandom(7), 1);
    const before = logFileKey(clusterId, pointers.fileId[1]!);
    const content = await first.getRange(before, 0, (await first.head(before))!.bytes);
    await second.put(logFileKey(clusterId, movedId), [content]);
    await first.delete(before);
    const runs = [{ ...run!, pointers: { ...pointers, fileId: [pointers.fileId[0]!, movedId] } }];
    const plan = { ...task.plan, runs, bucket: 1 };
    const buckets = [
      { number: 0, url: task.bucketUrl },
      { number: 1, url: secondUrl },
    ];
    const { files, ranges, refused } = await threads.merge({ ...task, plan, buckets }, { signal: never });
    const [{ fileId, fileBytes }] = files as [(typeof files)[number]];
    assert.deepEqual([files.length, refused.length, fileIdBucket(fileId)], [1, 0, 1]);
    assert.equal((await second.head(logFileKey(clusterId, fileId)))?.bytes, fileBytes);
    assert.equal(await first.head(logFileKey(clusterId, fileId)), undefined);
    assert.equal(ranges[0]!.nextOffset, 2);
    const known = buckets.slice(0, 1);
    await assert.rejects(
      threads.merge({ ...task, plan, buckets: known }, { signal: never }),
      /bucket 1 of the cluster: not known to this agent/,
    );
    await second.close();
  });
});

test('keys are compacted in the same thread', async () => {
  await withBucket(async (store, { plan, ...bucket }, _folder, threads) => {
    const none = new Float64Array(0);
    const runs = plan.runs.map((run) => ({
      ...run,
      dirtyOffset: 0,
      deleteRetentionMs: 0,
      aborted: { producerId: none, firstOffset: none, lastOffset: none },
    }));
    const keyPlan = { clusterId, level: 1, nowMs: 1, runs };
    const { files, ranges, compacted } = await threads.compactKeys({ ...bucket, keyPlan }, { signal: never });
    // The records have no keys, so that an empty batch is left.
    assert.deepEqual([compacted[0]!.recordsRead, compacted[0]!.recordsKept], [2, 0]);
    assert.deepEqual([ranges[0]!.baseOffset, ranges[0]!.nextOffset], [0, 2]);
    assert.equal((await store.head(logFileKey(clusterId, files[0]!.fileId)))?.bytes, files[0]!.fileBytes);
  });
});

test('a thread that fails or is stopped rejects, and leaves nothing behind', async () => {
  await withBucket(async (_store, task, folder, threads) => {
    const filesBefore = (await readdir(folder, { recursive: true })).sort();
    await assert.rejects(
      threads.merge({ ...task, bucketUrl: 'nowhere://bucket' }, { signal: never }),
      /bucket URL/,
    );
    const stop = new AbortController();
    const merging = threads.merge(task, { signal: stop.signal });
    stop.abort(new Error('agent is shutting down'));
    await assert.rejects(merging, /agent is shutting down/);
    assert.deepEqual((await readdir(folder, { recursive: true })).sort(), filesBefore);
    await assert.rejects(threads.merge(task, { signal: stop.signal }), /agent is shutting down/);
  });
});

/** The threads of merges that this process has started and that still run, found by how they are started. */
function trackThreads(t: TestContext): { readonly started: Worker[] } {
  const started: Worker[] = [];
  const onWorker = (worker: Worker) => void started.push(worker);
  process.on('worker', onWorker);
  t.after(() => void process.off('worker', onWorker));
  return { started };
}

test('small merges use one thread after the other, and idle threads end', async (t) => {
  const { started } = trackThreads(t);
  await withBucket(async (_store, task, _folder, threads) => {
    for (let round = 0; round < 5; round++) {
      // Each has its own result and requests.
      const operations: string[] = [];
      const { files } = await threads.merge(task, {
        signal: never,
        onRequests: (_bucket, operation, count) => void operations.push(`${operation} ${count}`),
      });
      assert.equal(files.length, 1);
      assert.ok(operations.includes('finishUpload 1'), operations.join());
    }
    assert.deepEqual([started.length, threads.idleCount], [1, 1]);
    const several = await Promise.all([1, 2, 3].map(() => threads.merge(task, { signal: never })));
    assert.equal(new Set(several.flatMap(({ files }) => files.map(({ fileId }) => fileId))).size, 3);
    assert.deepEqual([started.length, threads.idleCount], [3, 2], 'one of three threads ends at once');
    await threads.end();
    assert.equal(threads.idleCount, 0);
    await threads.merge(task, { signal: never });
    assert.equal(threads.idleCount, 0, 'a thread that ends its work after the end ends too');
  });
  const clock = new HandClock();
  const brief = new MergeThreads({ clock, idleMs: 1_000 });
  await withBucket(async (_store, task) => {
    await brief.merge(task, { signal: never });
    await clock.pass(999);
    assert.equal(brief.idleCount, 1);
    const exit = once(started.at(-1)!, 'exit');
    await clock.pass(1);
    assert.equal(brief.idleCount, 0);
    await exit;
  });
});

test('a failed merge ends its thread, and the next one gets another', async (t) => {
  const { started } = trackThreads(t);
  await withBucket(async (_store, task, _folder, threads) => {
    await threads.merge(task, { signal: never });
    await assert.rejects(
      threads.merge({ ...task, bucketUrl: 'nowhere://bucket' }, { signal: never }),
      /bucket URL/,
    );
    assert.deepEqual([started.length, threads.idleCount], [1, 0]);
    assert.equal((await threads.merge(task, { signal: never })).files.length, 1);
    assert.equal(started.length, 2);
  });
});

test('the death of a thread loses no merge that it did not begin, and fails one that it did', async (t) => {
  const { started } = trackThreads(t);
  await withBucket(async (_store, task, folder, threads) => {
    await threads.merge(task, { signal: never });
    // It dies without work: the next merge finds it gone, or gets it before its exit is known.
    for (const waitsForExit of [true, false]) {
      const died = started.at(-1)!;
      const exit = once(died, 'exit');
      void died.terminate();
      if (waitsForExit) await exit;
      assert.equal((await threads.merge(task, { signal: never })).files.length, 1);
      assert.notEqual(started.at(-1), died);
    }
    // It dies in the middle of its work: the job fails, and is planned again.
    const filesBefore = (await readdir(folder, { recursive: true })).length;
    const thread = started.at(-1)!;
    thread.once('message', () => void thread.terminate());
    const merging = threads.merge(task, { signal: never, hasToWait: () => true });
    await assert.rejects(merging, /merge thread exited/);
    assert.equal((await readdir(folder, { recursive: true })).length, filesBefore);
    assert.equal((await threads.merge(task, { signal: never })).files.length, 1);
  });
});
