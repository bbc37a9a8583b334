import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type KeyCompactionJob, readKeyCompactionTask, writeKeyCompactionTask } from '@weir/cluster';
import { logFileKey } from '@weir/storage';
import { buildRecordBatch } from '@weir/wire';
import { CompactionStage } from '../../../testing/compaction-stage.ts';

const minuteMs = 60_000;

/** A compacted topic, whose keys one agent compacts. */
async function stage(t: TestContext, configs: Readonly<Record<string, string>> = {}, partitions = 1) {
  const stage = new CompactionStage(t);
  const { path, cluster, runner } = stage;
  const { topicId } = cluster.addTopic('table', partitions, { 'cleanup.policy': 'compact', ...configs });
  await path.ready();
  runner.start();
  return {
    path,
    cluster,
    topicId,
    onCompact: (then: typeof stage.onCompacted) => {
      stage.onCompacted = then;
    },
    /** Writes a batch; `null` is a tombstone. */
    async write(records: readonly (readonly [key: string, value: string | null])[], partition = 0) {
      const batch = buildRecordBatch(
        records.map(([key, value]) => ({
          timestamp: BigInt(path.clock.nowMs()),
          key: Buffer.from(key),
          value: value === null ? null : Buffer.from(value),
        })),
      );
      await stage.append(topicId, partition, batch);
    },
    pass: (durationMs: number) => stage.pass(durationMs),
    read: (partition = 0, fromOffset = 0n) =>
      stage.read('table', partition, fromOffset, ({ key, value }) => `${key}=${value}`),
    jobs: () => stage.jobs('key_compaction'),
  };
}

test('a compacted topic keeps the latest record of each key, at its offset', async (t) => {
  const { write, pass, read, jobs } = await stage(t);
  for (let round = 0; round < 10; round++)
    await write([
      ['a', `${round}`],
      ['b', `${round}`],
      [`only ${round}`, 'once'],
    ]);
  assert.equal((await read()).length, 30);
  await pass(20 * minuteMs);
  const kept = await read();
  assert.deepEqual(
    kept,
    [...Array.from({ length: 10 }, (_, round) => `${3 * round + 2} only ${round}=once`)]
      .concat(['27 a=9', '28 b=9'])
      .sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10)),
  );
  const [[state, scope, message] = []] = await jobs();
  assert.deepEqual([state, scope], ['done', 'table-0']);
  assert.match(message!, /^compacted 1 of 1 partitions: kept 12 of 30 records, \d+ of \d+ bytes$/);
});

test('readers find their way through gaps', async (t) => {
  const { path, cluster, topicId, write, pass, read } = await stage(t, {
    'cleanup.policy': 'compact,delete',
  });
  const timesMs: number[] = [];
  for (let round = 0; round < 6; round++) {
    await pass(1000);
    timesMs.push(path.clock.nowMs());
    await write([
      ['a', `${round}`],
      [round === 2 ? 'kept' : 'b', `${round}`],
    ]);
  }
  await pass(20 * minuteMs);
  const kept = ['5 kept=2', '10 a=5', '11 b=5'];
  for (const [from, expected] of [
    [0n, kept],
    [5n, kept],
    [6n, kept.slice(1)],
    [9n, kept.slice(1)],
    [11n, kept.slice(2)],
    [12n, []],
  ] as const)
    assert.deepEqual(
      (await read(0, from)).filter((line) => Number.parseInt(line, 10) >= from),
      expected,
      `from ${from}`,
    );
  const offsetAt = async (timestamp: bigint) => {
    const topics = [{ name: 'table', partitions: [{ partitionIndex: 0, timestamp }] }];
    const answer = await path.call('ListOffsets', 7, { replicaId: -1, isolationLevel: 0, topics });
    assert.ok(answer !== 'noReply' && answer !== 'close');
    return answer.topics[0]!.partitions[0]!.offset;
  };
  assert.equal(await offsetAt(BigInt(timesMs[0]!)), 5n);
  assert.equal(await offsetAt(BigInt(timesMs[2]! + 1)), 10n);
  assert.equal(await offsetAt(-3n), 10n, 'the latest timestamp');
  assert.deepEqual([await offsetAt(-2n), await offsetAt(-1n)], [0n, 12n]);
  await cluster.deleteRecords([{ topicId, partition: 0, offset: 8 }]);
  await pass(1000);
  assert.equal(await offsetAt(-2n), 8n);
  assert.deepEqual(await read(0, 8n), kept.slice(1));
});

test('what is deleted while keys are compacted stays deleted, and the next round goes on', async (t) => {
  const { cluster, topicId, onCompact, write, pass, read, jobs } = await stage(t, {
    'cleanup.policy': 'compact,delete',
  });
  for (let round = 0; round < 5; round++) await write([['a', `${round}`]]);
  onCompact(async () => {
    onCompact(() => {});
    await cluster.deleteRecords([{ topicId, partition: 0, offset: 2 }]);
  });
  await pass(20 * minuteMs);
  assert.deepEqual(await read(0, 2n), ['4 a=4']);
  for (let round = 5; round < 9; round++) await write([['a', `${round}`]]);
  await pass(20 * minuteMs);
  assert.deepEqual(await read(0, 2n), ['8 a=8']);
  assert.deepEqual(
    (await jobs()).map(([state]) => state),
    ['done', 'done'],
  );
});

test('merges of files and compactions of keys do not spoil each other', async (t) => {
  const { path, write, pass, read, jobs } = await stage(t, { 'min.cleanable.dirty.ratio': '0' }, 2);
  const expected = new Map<string, string>();
  for (let round = 0; round < 60; round++) {
    const key = `${round % 7}`;
    expected.set(key, `${round}`);
    for (const partition of [0, 1]) await write([[key, `${round}`]], partition);
    await pass(60_000);
  }
  await pass(60 * minuteMs);
  for (const partition of [0, 1]) {
    const found = (await read(partition)).map((line) => line.split(/[ =]/).slice(1) as [string, string]);
    assert.deepEqual(new Map(found), expected);
    assert.equal(found.length, 7);
  }
  assert.ok((await jobs()).length > 2);
  assert.doesNotMatch(
    path.metrics.render(),
    /ranges_total\{outcome="refused"|partitions_total\{outcome="refused"/,
  );
});

test('keys of damaged files stay, and the job says so', async (t) => {
  const { path, write, pass, read, jobs, cluster, topicId } = await stage(t);
  for (let round = 0; round < 4; round++) await write([['a', `${round}`]]);
  const [answer] = await cluster.findBatches([{ topicId, partition: 0, offset: 1, bytesMax: 1 }]);
  const { fileId, byteStart } = answer!.pointers;
  const key = logFileKey(cluster.clusterId, fileId[0]!);
  const object = path.store.objects.get(key)!;
  object[byteStart[0]! + 65]! ^= 1;
  await pass(16 * minuteMs);
  object[byteStart[0]! + 65]! ^= 1;
  const [[state, , message] = []] = await jobs();
  assert.equal(state, 'failing');
  assert.match(message!, /^1 ranges stay: /);
  assert.deepEqual(await read(), ['1 a=1', '3 a=3']);
});

test('a task is read as it was written', () => {
  const job: KeyCompactionJob = {
    plannedMs: 1_700_000_000_000,
    level: 2,
    inputs: [{ fileId: 'a'.repeat(32), fileBytes: 7 }],
    topicIds: ['one'],
    ranges: {
      topic: Uint32Array.of(0),
      partition: Uint32Array.of(3),
      fromOffset: Float64Array.of(0),
      toOffset: Float64Array.of(5),
      pointerCount: Uint32Array.of(1),
    },
    pointers: {
      file: Uint32Array.of(0),
      byteStart: Uint32Array.of(1),
      byteLength: Uint32Array.of(10),
      baseOffset: Float64Array.of(0),
      maxTimestampMs: Float64Array.of(-1),
    },
    keys: {
      dirtyOffset: Float64Array.of(2),
      deleteRetentionMs: Float64Array.of(1000),
      abortedCount: Uint32Array.of(1),
    },
    aborted: {
      producerId: Float64Array.of(7),
      firstOffset: Float64Array.of(1),
      lastOffset: Float64Array.of(4),
    },
  };
  assert.deepEqual(readKeyCompactionTask(writeKeyCompactionTask(job)), job);
  assert.throws(() => readKeyCompactionTask(writeKeyCompactionTask(job).subarray(0, -1)), RangeError);
});
