import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pointers } from '@weir/cluster';
import { MiB } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { StoreError } from '@weir/storage';
import {
  apis,
  buildRecordBatch,
  type CompressionCodec,
  type ErrorName,
  errorByCode,
  type RecordBatchFields,
  RecordBatchView,
} from '@weir/wire';
import { DataPath, type DataPathOptions, produced, record } from '../../testing/data-path.ts';
import { ClientInflation } from '../inflation/client-inflation.ts';
import { brokerLimits } from '../limits.ts';
import type { BatchCursor } from '../read-path/batch-cursor.ts';
import type { ReadPath } from '../read-path/read-path.ts';
import { FirstRecord, searchRecords } from '../read-path/record-search.ts';

async function start(options: DataPathOptions = {}) {
  const path = new DataPath(options);
  const { topicId } = path.cluster.addTopic('t', 3);
  await path.ready();

  /** Writes one batch with these timestamps and returns it. */
  async function write(partition: number, timestamps: readonly number[], fields: RecordBatchFields = {}) {
    const batch = buildRecordBatch(
      timestamps.map((timestamp) => record('v', BigInt(timestamp))),
      fields,
    );
    await path.writePath.append([produced(topicId, partition, batch)], { deadlineMs: 1e15 });
    await settle();
    return batch;
  }

  async function ask(
    timestamp: bigint,
    { version = 11, partition = 0, topic = 't', epoch = -1, isolationLevel = 0 } = {},
  ) {
    const response = await path.call('ListOffsets', version, {
      replicaId: -1,
      ...(version >= 2 ? { isolationLevel } : { isolationLevel: 0 }),
      topics: [
        {
          name: topic,
          partitions: [
            { partitionIndex: partition, timestamp, ...(epoch < 0 ? {} : { currentLeaderEpoch: epoch }) },
          ],
        },
      ],
    });
    assert.ok(typeof response !== 'string');
    const { errorCode, offset, timestamp: found, leaderEpoch } = response.topics[0]!.partitions[0]!;
    return { error: errorByCode(errorCode)!.name, offset, timestamp: found, leaderEpoch };
  }
  return { path, topicId, write, ask };
}

test('special timestamps and times', async (t) => {
  const { path, topicId, write, ask } = await start();
  await write(0, [100, 300, 200]);
  await write(0, [250]);
  await write(0, [300, 150], { codec: 'zstd' });
  await write(0, [400, 500, 500], { codec: 'lz4' });
  const table: [name: string, timestamp: bigint, offset: bigint, found: bigint, leaderEpoch: number][] = [
    ['latest', -1n, 9n, -1n, 0],
    ['earliest', -2n, 0n, -1n, 0],
    ['first of the latest time', -3n, 7n, 500n, 0],
    ['earliest local', -4n, 0n, -1n, 0],
    ['tiered', -5n, -1n, -1n, -1],
    ['pending upload', -6n, -1n, -1n, -1],
    ['from the beginning', 0n, 0n, 100n, 0],
    ['in the first batch', 101n, 1n, 300n, 0],
    ['the first in offset order', 250n, 1n, 300n, 0],
    ['behind the first batches', 301n, 6n, 400n, 0],
    ['exactly', 500n, 7n, 500n, 0],
    ['later than all', 501n, -1n, -1n, -1],
  ];
  for (const [name, timestamp, ...expected] of table) {
    await t.test(name, async () => {
      const { error, offset, timestamp: found, leaderEpoch } = await ask(timestamp);
      assert.deepEqual([error, offset, found, leaderEpoch], ['NONE', ...expected]);
    });
  }
  await t.test('after deleted records', async () => {
    path.cluster.deleteRecordsBefore(topicId, 0, 2);
    path.cluster.reconnectFollowers();
    await settle();
    assert.equal((await ask(-2n)).offset, 2n);
    // The third record of the first batch; the second one, which is deleted, was later.
    const first = await ask(0n);
    assert.deepEqual([first.offset, first.timestamp], [2n, 200n]);
    assert.equal((await ask(250n)).offset, 2n, 'all matches of the batch are deleted');
  });
});

test('an empty partition has end offsets and no records', async () => {
  const { ask } = await start();
  const offsets: bigint[] = [];
  for (const timestamp of [-1n, -2n, -3n, -4n, -5n, -6n, 0n, 5n]) offsets.push((await ask(timestamp)).offset);
  assert.deepEqual(offsets, [0n, 0n, -1n, 0n, -1n, -1n, -1n, -1n]);
});

test('each special timestamp is valid from the version that introduced it', async () => {
  const { write, ask } = await start();
  await write(0, [100]);
  const fromVersions = { '-1': 1, '-2': 1, '-3': 7, '-4': 8, '-5': 9, '-6': 11, '-7': 99, '5': 1 };
  const { lowest, highest } = apis.ListOffsets.versions;
  for (const [timestamp, fromVersion] of Object.entries(fromVersions)) {
    for (let version = lowest; version <= highest; version++) {
      const { error } = await ask(BigInt(timestamp), { version });
      assert.equal(
        error,
        version < fromVersion ? 'UNSUPPORTED_VERSION' : 'NONE',
        `${timestamp} in v${version}`,
      );
    }
  }
});

test('errors of a partition', async () => {
  const { path, ask } = await start();
  const table: [Parameters<typeof ask>[1], ErrorName][] = [
    [{ topic: 'u' }, 'UNKNOWN_TOPIC_OR_PARTITION'],
    [{ partition: 3 }, 'UNKNOWN_TOPIC_OR_PARTITION'],
    [{ epoch: 1 }, 'UNKNOWN_LEADER_EPOCH'],
    [{ epoch: 0 }, 'NONE'],
  ];
  for (const [args, error] of table) assert.equal((await ask(-1n, args)).error, error);
  path.cluster.unavailable = true;
  assert.equal((await ask(-1n)).error, 'LEADER_NOT_AVAILABLE');
  assert.equal((await ask(5n)).error, 'LEADER_NOT_AVAILABLE');
});

test('a partition that is named twice is refused, and the others are served', async () => {
  const { path } = await start();
  const response = await path.call('ListOffsets', 7, {
    replicaId: -1,
    isolationLevel: 0,
    topics: [
      {
        name: 't',
        partitions: [
          { partitionIndex: 0, timestamp: -1n },
          { partitionIndex: 1, timestamp: -1n },
        ],
      },
      { name: 't', partitions: [{ partitionIndex: 0, timestamp: -2n }] },
    ],
  });
  assert.ok(typeof response !== 'string');
  assert.deepEqual(
    response.topics.map(({ partitions }) => partitions.map(({ errorCode }) => errorByCode(errorCode)!.name)),
    [['INVALID_REQUEST', 'NONE'], ['INVALID_REQUEST']],
  );
});

test('end offsets come from the control plane, even if the cluster view is behind', async () => {
  const { path, topicId, ask } = await start();
  path.cluster.holdChanges();
  const other = new DataPath({ port: () => path.cluster });
  path.cluster.releaseChanges();
  await other.ready();
  path.cluster.holdChanges();
  await other.writePath.append([produced(topicId, 0, buildRecordBatch([record('a', 1n)]))], {
    deadlineMs: 1e15,
  });
  assert.equal(path.view.ends(topicId, 0)!.nextOffset, 0);
  assert.equal((await ask(-1n)).offset, 1n);
});

test('any number of partitions takes one call of each kind', async () => {
  const { path, write } = await start();
  for (const partition of [0, 1, 2]) await write(partition, [100]);
  const response = await path.call('ListOffsets', 7, {
    replicaId: -1,
    isolationLevel: 1,
    topics: [
      {
        name: 't',
        partitions: [-1n, 50n, -3n].map((timestamp, partitionIndex) => ({ partitionIndex, timestamp })),
      },
    ],
  });
  assert.ok(typeof response !== 'string');
  assert.deepEqual(
    response.topics[0]!.partitions.map(({ offset }) => offset),
    [1n, 0n, 0n],
  );
  assert.deepEqual([path.cluster.calls.findBatches, path.cluster.calls.findOffsets], [1, 1]);
});

test('a time is found in batches of every codec, across pages', async () => {
  for (const codec of ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const satisfies CompressionCodec[]) {
    const { write, ask } = await start({ pages: { pageBytes: 50, ownFiles: 'none' } });
    await write(0, [10, 20, 30], { codec });
    await write(0, [40, 50, 60], { codec });
    const offsets: bigint[] = [];
    for (const timestamp of [1n, 11n, 31n, 55n]) offsets.push((await ask(timestamp)).offset);
    assert.deepEqual(offsets, [0n, 1n, 3n, 5n], codec);
  }
});

test('a batch header with a wrong max timestamp finds its batch', async () => {
  const { write, ask } = await start();
  await write(0, [10, 20]);
  await write(0, [30, 40], { maxTimestamp: 99n });
  const { offset, timestamp } = await ask(50n);
  assert.deepEqual([offset, timestamp], [2n, 99n]);
});

test('a time is found in batches with a large decompressed size, in every codec', async () => {
  for (const codec of ['gzip', 'snappy', 'lz4', 'zstd'] as const) {
    const { path, topicId, ask } = await start();
    const value = Buffer.alloc(400_000);
    const write = async (timestamps: readonly number[]) => {
      const records = timestamps.map((timestamp) => ({ timestamp: BigInt(timestamp), key: null, value }));
      const batch = buildRecordBatch(records, { codec });
      await path.writePath.append([produced(topicId, 0, batch)], { deadlineMs: 1e15 });
      await settle();
    };
    await write([100, 300, 200]);
    await write([250, 260, 270]);
    await write([400, 500, 500]);
    for (const [timestamp, ...expected] of [
      [-3n, 7n, 500n],
      [250n, 1n, 300n],
      [301n, 6n, 400n],
      [501n, -1n, -1n],
    ] as const) {
      const { error, offset, timestamp: found } = await ask(timestamp);
      assert.deepEqual([error, offset, found], ['NONE', ...expected], `${codec} ${timestamp}`);
    }
  }
});

/** Returns a read path with one batch, at offset 7. */
function readPathOf(view: RecordBatchView): ReadPath {
  const cursor = { header: { maxTimestamp: 5n }, batch: () => view } as unknown as BatchCursor;
  return {
    searchBatches: async (_: unknown, visit: (cursor: BatchCursor, baseOffset: number) => unknown) =>
      visit(cursor, 7),
  } as unknown as ReadPath;
}

test('a search uses the connection budget only for a batch with a large decompressed size', async () => {
  for (const [codec, bytes, isOffThread] of [
    ['gzip', 2_000_000, true],
    ['none', 100_000, false],
  ] as const) {
    const batch = buildRecordBatch([{ timestamp: 5n, key: null, value: Buffer.alloc(bytes) }], { codec });
    const view = new RecordBatchView(batch);
    let runs = 0;
    const inflation = new ClientInflation();
    const connection = { closed: new AbortController().signal, clock: new HandClock() };
    const budget = inflation.of(connection);
    const run = budget.run.bind(budget);
    budget.run = (work) => {
      runs++;
      return run(work);
    };
    const search = new FirstRecord(5n);
    const readPath = readPathOf(view);
    await searchRecords({} as Pointers, search, { readPath, inflation, connection, pause: async () => {} });
    assert.deepEqual([search.found, runs], [{ offset: 7, timestamp: 5n }, isOffThread ? 1 : 0], codec);
  }
});

test('a search waits when its connection is above the decompression budget, and stops when the client disconnects', async () => {
  const records = [{ timestamp: 5n, key: null, value: Buffer.alloc(2_000_000) }];
  const view = new RecordBatchView(buildRecordBatch(records, { codec: 'gzip' }));
  const readPath = readPathOf(view);
  const clock = new HandClock();
  const closing = new AbortController();
  const connection = { closed: closing.signal, clock };
  const inflation = new ClientInflation({ bytesMax: 1 * MiB, bytesPerSecondMax: 1 * MiB });
  let found = 0;
  const searches = Array.from({ length: 5 }, async () => {
    const search = new FirstRecord(5n);
    await searchRecords({} as Pointers, search, { readPath, inflation, connection, pause: async () => {} });
    if (search.found !== undefined) found++;
  });
  await searches[0];
  const other = { closed: new AbortController().signal, clock };
  for (let count = 0; count < 5; count++) {
    const search = new FirstRecord(5n);
    const free = new ClientInflation();
    await searchRecords({} as Pointers, search, {
      readPath,
      inflation: free,
      connection: other,
      pause: async () => {},
    });
  }
  assert.equal(found, 1);
  clock.advance(1000);
  await searches[1];
  closing.abort();
  clock.advance(3000);
  await Promise.all(searches);
  assert.equal(found, 2);
});

test('searches of many partitions decompress no more synchronously than the budget of one event-loop turn', async () => {
  const records = [{ timestamp: 5n, key: null, value: Buffer.alloc(400_000) }];
  const view = new RecordBatchView(buildRecordBatch(records, { codec: 'none' }));
  const readPath = readPathOf(view);
  const connection = { closed: new AbortController().signal, clock: new HandClock() };
  const inflation = new ClientInflation();
  const budget = inflation.of(connection);
  const run = budget.run.bind(budget);
  let runs = 0;
  budget.run = (work) => {
    runs++;
    return run(work);
  };
  await Promise.all(
    Array.from({ length: 20 }, () =>
      searchRecords({} as Pointers, new FirstRecord(5n), {
        readPath,
        inflation,
        connection,
        pause: async () => {},
      }),
    ),
  );
  assert.equal(runs, 20 - Math.floor(brokerLimits.inflatedPerTurnBytesMax / view.sizeBytes));
});

/** Kinds of damage to a file in the store. */
const damages: Readonly<Record<string, (content: Buffer, batch: Buffer) => Buffer | undefined>> = {
  missing: () => undefined,
  empty: () => Buffer.alloc(0),
  'changed in its records': changedIn,
};

/** Returns the content of a file with one bit in the records of a batch flipped. */
function changedIn(content: Buffer, batch: Buffer): Buffer {
  // The cluster assigns the offset and the other fields before the CRC.
  const covered = batch.subarray(21);
  const changed = Buffer.from(content);
  changed[content.indexOf(covered) + covered.length - 1]! ^= 1;
  return changed;
}

test('a query that needs a damaged file is an error, and all others are served', async (t) => {
  /** The query, its result, and the file that must be read for it, if any. */
  const questions: [name: string, timestamp: bigint, offset: bigint, file: number | undefined][] = [
    ['latest', -1n, 6n, undefined],
    ['earliest', -2n, 0n, undefined],
    ['earliest local', -4n, 0n, undefined],
    ['tiered', -5n, -1n, undefined],
    ['later than all', 401n, -1n, undefined],
    ['first of the latest time', -3n, 4n, 2],
    ['in the first file', 150n, 1n, 0],
    ['in the second file', 260n, 2n, 1],
    ['in the third file', 360n, 4n, 2],
  ];
  for (const [kind, damage] of Object.entries(damages)) {
    for (const damaged of [0, 1, 2]) {
      await t.test(`file ${damaged} is ${kind}`, async () => {
        const { path, topicId, write, ask } = await start({ pages: { ownFiles: 'none', cacheBytesMax: 0 } });
        const batches = [await write(0, [100, 200]), await write(0, [300, 250]), await write(0, [400, 350])];
        const key = [...path.store.objects.keys()][damaged]!;
        const content = path.store.objects.get(key)!;
        const changed = damage(content, batches[damaged]!);
        if (changed === undefined) path.store.objects.delete(key);
        else path.store.objects.set(key, changed);

        for (const isolationLevel of [0, 1]) {
          for (const [name, timestamp, offset, file] of questions) {
            const found = await ask(timestamp, { isolationLevel });
            const expected = file === damaged ? ['KAFKA_STORAGE_ERROR', -1n] : ['NONE', offset];
            assert.deepEqual([found.error, found.offset], expected, name);
          }
        }
        assert.deepEqual(
          path.damage.known().map(({ firstOffset, nextOffset }) => [firstOffset, nextOffset]),
          [[2 * damaged, 2 * damaged + 2]],
        );
        assert.equal(path.damage.errorAt(topicId, 0, 2 * damaged), 'KAFKA_STORAGE_ERROR');

        path.store.objects.set(key, content);
        for (const [name, timestamp, offset] of questions) {
          assert.equal((await ask(timestamp)).offset, offset, name);
        }
      });
    }
  }
});

test('a time in a batch before the damage is found, and one after it is an error', async () => {
  const { path, topicId, ask } = await start({ pages: { ownFiles: 'none', cacheBytesMax: 0 } });
  const batches = [100n, 200n].map((timestamp) => buildRecordBatch([record('v', timestamp)]));
  await path.writePath.append(
    batches.map((batch) => produced(topicId, 0, batch)),
    { deadlineMs: 1e15 },
  );
  await settle();
  const [[key, content]] = [...path.store.objects] as [[string, Buffer]];
  path.store.objects.set(key, changedIn(content, batches[1]!));
  assert.deepEqual([(await ask(100n)).error, (await ask(100n)).offset], ['NONE', 0n]);
  for (const timestamp of [150n, -3n]) assert.equal((await ask(timestamp)).error, 'KAFKA_STORAGE_ERROR');
  assert.equal((await ask(-1n)).offset, 2n);
});

test('an unavailable store is an error of the query and is not recorded as damage', async () => {
  const { path, write, ask } = await start({ pages: { ownFiles: 'none', cacheBytesMax: 0 } });
  await write(0, [100]);
  path.store.beforeGet = () => Promise.reject(new StoreError('unavailable', 'key', 'test'));
  assert.equal((await ask(50n)).error, 'KAFKA_STORAGE_ERROR');
  assert.deepEqual([(await ask(-1n)).error, (await ask(-1n)).offset], ['NONE', 1n]);
  assert.deepEqual(path.damage.known(), []);
});
