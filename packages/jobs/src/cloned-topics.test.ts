import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { batchOf, produced } from '@weir/broker/testing';
import { boundaryQueryKind, type FoundBoundary } from '@weir/cluster';
import { CompactionStage } from '../testing/compaction-stage.ts';
import { findBoundaries } from './query/batch-boundaries.ts';

/** A topic to clone, in a cluster whose files an agent merges and deletes. */
async function stage(t: TestContext) {
  const stage = new CompactionStage(t);
  const { path, cluster, runner } = stage;
  const { topicId } = cluster.addTopic('orders', 2, { 'retention.ms': '-1' });
  await path.ready();
  const written: number[] = [];
  stage.onMerged = ({ bytesWritten }) => {
    written.push(bytesWritten);
  };
  return {
    path,
    cluster,
    runner,
    topicId,
    /** Bytes that each merge wrote. */
    written,
    pass: (durationMs: number) => stage.pass(durationMs),
    fileCount: () => stage.fileIds().length,
    clone: (sourceId: string, name: string, ends: readonly { partition: number; offset: number }[] = []) =>
      cluster.cloneTopic({ sourceId, name, configs: {}, unsetConfigs: [], ends }),
    async append(topic: string, partition: number, ...values: string[]) {
      cluster.clock.advance(100);
      await stage.append(topic, partition, batchOf(values));
    },
    read: (topic: string, partition: number) => stage.read(topic, partition),
    async pointers(topic: string, partition: number) {
      const [answer] = await cluster.findBatches([{ topicId: topic, partition, offset: 0, bytesMax: 1e9 }]);
      return answer!.pointers;
    },
  };
}

test('a clone reads the records of its source, is written to alone, and outlives it', async (t) => {
  const { path, cluster, runner, topicId, pass, fileCount, clone, append, read } = await stage(t);
  for (let file = 0; file < 40; file++) await append(topicId, file % 2, `one ${file}`, `two ${file}`);
  const before = [await read('orders', 0), await read('orders', 1)];
  assert.deepEqual(
    before.map(({ length }) => length),
    [40, 40],
  );
  const { topic } = await clone(topicId, 'debug', [{ partition: 1, offset: 10 }]);
  await pass(5_000);
  assert.deepEqual(await read('debug', 0), before[0]);
  assert.deepEqual(await read('debug', 1), before[1]!.slice(0, 10));

  await append(topic!.topicId, 1, 'of the clone');
  await append(topicId, 1, 'of the source');
  assert.deepEqual((await read('debug', 1)).slice(10), ['10 of the clone']);
  assert.deepEqual((await read('orders', 1)).slice(40), ['40 of the source']);

  await cluster.removeTopics([{ name: 'orders' }]);
  runner.start();
  const filesBefore = fileCount();
  await pass(30 * 60_000);
  assert.ok(fileCount() < filesBefore, `${fileCount()} of ${filesBefore} files`);
  assert.deepEqual(await read('debug', 0), before[0]);
  assert.deepEqual(await read('debug', 1), [...before[1]!.slice(0, 10), '10 of the clone']);
  await cluster.removeTopics([{ name: 'debug' }]);
  await pass(30 * 60_000);
  assert.equal(fileCount(), 0);
  path.closed.abort();
});

test('merged files hold what topics share once', async (t) => {
  const { runner, topicId, pass, clone, append, read, written, pointers } = await stage(t);
  const value = 'v'.repeat(2_000);
  for (let file = 0; file < 31; file++) await append(topicId, 0, `${value} ${file}`);
  const [first, second] = [
    await clone(topicId, 'whole'),
    await clone(topicId, 'part', [{ partition: 0, offset: 20 }]),
  ];
  await append(first.topic!.topicId, 0, 'of the clone');
  await append(topicId, 0, 'of the source');
  const all = async () => [await read('orders', 0), await read('whole', 0), await read('part', 0)];
  await pass(5_000);
  const before = await all();
  assert.deepEqual(
    before.map(({ length }) => length),
    [32, 32, 20],
  );
  runner.start();
  await pass(30_000);
  assert.equal(written.length, 1);
  assert.ok(written[0]! < 32 * 2_500, `${written[0]} bytes for 31 records of 2000 bytes and two small ones`);
  assert.deepEqual(await all(), before);
  const of = async (topic: string) => {
    const { fileId, byteStart, baseOffset } = await pointers(topic, 0);
    return fileId.map((id, row) => `${id} ${byteStart[row]} ${baseOffset[row]}`);
  };
  const [source, whole, part] = [
    await of(topicId),
    await of(first.topic!.topicId),
    await of(second.topic!.topicId),
  ];
  assert.deepEqual(part, source.slice(0, part.length));
  assert.deepEqual(whole.slice(0, -1), source.slice(0, whole.length - 1));
  // What was merged can be merged and deleted again.
  await pass(60 * 60_000);
  assert.deepEqual(await all(), before);
});

test('boundaries of batches are found by offset and by time, before and after merges', async (t) => {
  const { path, runner, topicId, append, pass, cluster, pointers } = await stage(t);
  const times = [5n, 9n, 7n, 20n];
  const batches = times.map((maxTimestamp) =>
    produced(topicId, 0, batchOf(['a', 'b', 'c'], { maxTimestamp })),
  );
  await path.writePath.append(batches, { deadlineMs: 1e15 });
  const find = async (offset: number, timestampMs?: number): Promise<FoundBoundary | null> => {
    const { fileId, byteStart, byteLength, baseOffset, nextOffset } = await pointers(topicId, 0);
    assert.equal(fileId.length, 1);
    const range = {
      fileId: fileId[0]!,
      byteStart: byteStart[0]!,
      byteLength: byteLength[0]!,
      baseOffset: baseOffset[0]!,
      nextOffset: nextOffset[0]!,
      offset,
      timestampMs,
    };
    const query = { kind: boundaryQueryKind, ranges: [range] } as const;
    return (await findBoundaries(path.readPath, query, new AbortController().signal))[0]!;
  };
  const check = async () => {
    const { byteLength } = await pointers(topicId, 0);
    const batchBytes = byteLength[0]! / 4;
    for (const [offset, timestampMs, end, maxTimestampMs] of [
      [0, undefined, 0, -1],
      [2, undefined, 0, -1],
      [3, undefined, 3, 5],
      [8, undefined, 6, 9],
      [11, undefined, 9, 9],
      [12, undefined, 12, 20],
      [12, 8, 3, 5],
      [12, 9, 3, 5],
      [12, 10, 9, 9],
      [6, 10, 6, 9],
      [12, 21, 12, 20],
      [12, 5, 0, -1],
    ] as const) {
      const expected = { offset: end, byteLength: (end / 3) * batchBytes, maxTimestampMs };
      assert.deepEqual(await find(offset, timestampMs), expected, `${offset} ${timestampMs}`);
    }
  };
  await check();
  await append(topicId, 1, 'another file');
  runner.start();
  await pass(40 * 60_000);
  assert.match((await pointers(topicId, 0)).fileId[0]!, /^.{12}1/);
  await check();
  const gone = {
    fileId: '0'.repeat(32),
    byteStart: 0,
    byteLength: 9,
    baseOffset: 0,
    nextOffset: 1,
    offset: 1,
  };
  const query = { kind: boundaryQueryKind, ranges: [gone] } as const;
  assert.deepEqual(await findBoundaries(path.readPath, query, new AbortController().signal), [null]);
  await cluster.removeTopics([{ name: 'orders' }]);
});
