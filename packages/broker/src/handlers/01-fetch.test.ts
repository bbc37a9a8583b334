import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterPort } from '@weir/cluster';
import { settle } from '@weir/core/testing';
import { logFileKey } from '@weir/storage';
import {
  apis,
  batchRecords,
  type CompressionCodec,
  type ErrorName,
  errorByCode,
  recordBatches,
  zeroUuid,
} from '@weir/wire';
import {
  batchOf,
  DataPath,
  type DataPathOptions,
  produced,
  type ResponseBody,
} from '../../testing/data-path.ts';
import { recheckMs, retriedMs } from '../damage/damage-registry.ts';

type FetchResponse = ResponseBody<'Fetch'>;

interface FetchArguments {
  readonly version?: number;
  readonly maxWaitMs?: number;
  readonly minBytes?: number;
  readonly maxBytes?: number;
  readonly isolationLevel?: number;
  readonly topic?: string;
  readonly topicId?: string;
}

interface PartitionArguments {
  readonly partition?: number;
  readonly fetchOffset?: bigint;
  readonly partitionMaxBytes?: number;
  readonly currentLeaderEpoch?: number;
}

async function start(options: DataPathOptions = {}, partitions = 4) {
  const path = new DataPath(options);
  const { topicId } = path.cluster.addTopic('t', partitions);
  await path.ready();

  async function write(partition: number, ...batches: (string | string[])[]): Promise<void> {
    for (const values of batches) {
      const batch = batchOf(typeof values === 'string' ? [values] : values);
      const appended = path.writePath.append([produced(topicId, partition, batch)], {
        deadlineMs: Number.POSITIVE_INFINITY,
      });
      path.clock.advance(options.flush?.windowMs ?? 0);
      await appended;
    }
    await settle();
  }

  async function fetch(
    partitions: readonly PartitionArguments[],
    args: FetchArguments = {},
  ): Promise<FetchResponse> {
    const { version = 11, maxWaitMs = 0, minBytes = 1, topic = 't', ...limits } = args;
    const response = await path.call('Fetch', version, {
      maxWaitMs,
      minBytes,
      ...(limits.maxBytes === undefined ? {} : { maxBytes: limits.maxBytes }),
      isolationLevel: args.isolationLevel ?? 0,
      topics: [
        {
          topic,
          topicId: args.topicId ?? topicId,
          partitions: partitions.map((one) => ({
            partition: one.partition ?? 0,
            fetchOffset: one.fetchOffset ?? 0n,
            partitionMaxBytes: one.partitionMaxBytes ?? 1 << 20,
            ...(one.currentLeaderEpoch === undefined ? {} : { currentLeaderEpoch: one.currentLeaderEpoch }),
          })),
        },
      ],
    });
    assert.ok(typeof response !== 'string');
    return response;
  }
  return { path, topicId, write, fetch };
}

type Partition = FetchResponse['responses'][number]['partitions'][number];

function partitionsOf(response: FetchResponse): readonly Partition[] {
  return response.responses.flatMap(({ partitions }) => partitions);
}

function valuesOf({ records }: Partition): string[] {
  return [...recordBatches(records!, { partialTail: 'error' })].flatMap((batch) => {
    assert.ok(batch.hasValidCrc());
    return [...batchRecords(batch)].map(({ offset, value }) => `${offset}=${value!.toString()}`);
  });
}

function errorOf({ errorCode }: Partition): ErrorName {
  return errorByCode(errorCode)!.name;
}

test('every version reads, by name or by id, without calling the control plane', async () => {
  const { path, write, fetch } = await start();
  await write(0, ['a', 'b'], 'c');
  const { lowest, highest } = apis.Fetch.versions;
  for (let version = lowest; version <= highest; version++) {
    const response = await fetch([{}, { partition: 1 }], { version });
    assert.equal(response.errorCode, 0);
    const [first, second] = partitionsOf(response);
    assert.deepEqual(valuesOf(first!), ['0=a', '1=b', '2=c'], `v${version}`);
    assert.deepEqual(
      [first!.highWatermark, first!.lastStableOffset, first!.logStartOffset],
      [3n, 3n, version < 5 ? -1n : 0n],
    );
    assert.deepEqual([errorOf(second!), second!.highWatermark, second!.records!.length], ['NONE', 0n, 0]);
  }
  assert.equal(path.cluster.calls.findBatches, 0);
  assert.equal(path.store.gets, 0);
});

test('errors of a partition', async (t) => {
  const { path, topicId, write, fetch } = await start();
  await write(0, 'a', 'b', 'c');
  path.cluster.deleteRecordsBefore(topicId, 0, 1);
  path.cluster.reconnectFollowers();
  await settle();
  const table: [name: string, partition: PartitionArguments, args: FetchArguments, error: ErrorName][] = [
    ['unknown name', {}, { topic: 'u' }, 'INVALID_TOPIC_EXCEPTION'],
    ['unknown id', {}, { version: 13, topicId: zeroUuid }, 'UNKNOWN_TOPIC_ID'],
    ['unknown partition', { partition: 4 }, {}, 'UNKNOWN_TOPIC_OR_PARTITION'],
    ['below the start', { fetchOffset: 0n }, {}, 'OFFSET_OUT_OF_RANGE'],
    ['negative', { fetchOffset: -1n }, {}, 'OFFSET_OUT_OF_RANGE'],
    ['at the start', { fetchOffset: 1n }, {}, 'NONE'],
    ['at the end', { fetchOffset: 3n }, {}, 'NONE'],
    ['beyond the end', { fetchOffset: 4n }, {}, 'OFFSET_OUT_OF_RANGE'],
    ['far beyond', { fetchOffset: 2n ** 62n }, {}, 'OFFSET_OUT_OF_RANGE'],
    ['epoch of a newer leader', { fetchOffset: 1n, currentLeaderEpoch: 1 }, {}, 'UNKNOWN_LEADER_EPOCH'],
    ['our epoch', { fetchOffset: 1n, currentLeaderEpoch: 0 }, {}, 'NONE'],
  ];
  for (const [name, partition, args, expected] of table) {
    await t.test(name, async () => {
      const [answer] = partitionsOf(await fetch([partition], { maxWaitMs: 0, ...args }));
      assert.equal(errorOf(answer!), expected);
      assert.equal(answer!.highWatermark, expected === 'NONE' ? 3n : -1n);
    });
  }
});

test('limits apply in the order of the request', async (t) => {
  const hundred = 'x'.repeat(100 - batchOf(['']).length);
  assert.equal(batchOf([hundred]).length, 100);
  // Two of its varint lengths are one byte longer.
  const large = 'x'.repeat(1_000 - batchOf(['']).length - 2);
  assert.equal(batchOf([large]).length, 1_000);
  const { write, fetch } = await start();
  await write(0, hundred, hundred, hundred);
  await write(1, hundred, hundred);
  await write(2, large, hundred);
  const table: [
    name: string,
    maxBytes: number,
    wanted: readonly [partition: number, partitionMaxBytes: number][],
    sizes: number[],
  ][] = [
    [
      'everything',
      10_000,
      [
        [0, 10_000],
        [1, 10_000],
        [2, 10_000],
      ],
      [300, 200, 1_100],
    ],
    [
      'whole batches only',
      10_000,
      [
        [0, 250],
        [1, 199],
      ],
      [200, 100],
    ],
    ['the first batch always', 10_000, [[0, 1]], [100]],
    [
      'the first batch only once',
      10_000,
      [
        [0, 1],
        [1, 1],
      ],
      [100, 0],
    ],
    [
      'an empty partition is not the first',
      10_000,
      [
        [3, 1],
        [1, 1],
        [0, 1],
      ],
      [0, 100, 0],
    ],
    [
      'of the request',
      450,
      [
        [0, 10_000],
        [1, 10_000],
        [2, 10_000],
      ],
      [300, 100, 0],
    ],
    [
      'of the request, to the byte',
      500,
      [
        [0, 10_000],
        [1, 10_000],
        [2, 10_000],
      ],
      [300, 200, 0],
    ],
    [
      'nothing at all',
      0,
      [
        [0, 0],
        [1, 10_000],
      ],
      [100, 0],
    ],
    [
      'a large first batch uses up the rest',
      1_050,
      [
        [2, 10],
        [0, 10_000],
        [1, 10_000],
      ],
      [1_000, 0, 0],
    ],
    [
      'a large batch that is not the first waits',
      10_000,
      [
        [0, 100],
        [2, 999],
        [1, 100],
      ],
      [100, 0, 100],
    ],
    [
      'negative limits are none',
      -1,
      [
        [0, -1],
        [1, -1],
      ],
      [100, 0],
    ],
  ];
  for (const [name, maxBytes, wanted, sizes] of table) {
    await t.test(name, async () => {
      const response = await fetch(
        wanted.map(([partition, partitionMaxBytes]) => ({ partition, partitionMaxBytes })),
        { maxBytes },
      );
      assert.deepEqual(
        partitionsOf(response).map(({ records }) => records!.length),
        sizes,
      );
    });
  }
});

test('an answer is filled up to its limit, wherever in a file it begins', async () => {
  const { path, topicId, fetch } = await start();
  const batch = batchOf(['x'.repeat(100)]);
  const batchesPerFile = 3;
  for (let file = 0; file < 8; file++) {
    const batches = Array.from({ length: batchesPerFile }, () => produced(topicId, 0, Buffer.from(batch)));
    await path.writePath.append(batches, { deadlineMs: Number.POSITIVE_INFINITY });
    await settle();
  }
  assert.equal(path.store.puts, 8);
  for (const batchesMax of [1, 2, 3, 4, 5, 7]) {
    for (let from = 0; from + batchesMax <= 24; from++) {
      const partitionMaxBytes = batchesMax * batch.length + 1;
      const [answer] = partitionsOf(await fetch([{ fetchOffset: BigInt(from), partitionMaxBytes }]));
      assert.equal(valuesOf(answer!).length, batchesMax, `${batchesMax} batches from ${from}`);
    }
  }
});

/** What the agent counts as sent to consumers. */
function sentBy({ metrics }: DataPath): { readonly records: number; readonly bytes: number } {
  const count = (name: string) =>
    Number(new RegExp(`^service_${name} (\\d+)$`, 'm').exec(metrics.render())![1]);
  return {
    records: count('agent_kafka_fetch_records_counter'),
    bytes: count('agent_kafka_fetch_compressed_bytes_counter'),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

test('limits of the agent count decompressed bytes', async (t) => {
  const large = 'x'.repeat(10_000);
  const table: [
    name: string,
    limits: Pick<DataPathOptions, 'fetchRequestBytesMax' | 'fetchPartitionBytesMax'>,
    codec: CompressionCodec,
    records: number[],
  ][] = [
    ['of a partition', { fetchPartitionBytesMax: 25_000 }, 'gzip', [2, 2]],
    ['of a partition, snappy', { fetchPartitionBytesMax: 25_000 }, 'snappy', [2, 2]],
    ['of a partition, not compressed', { fetchPartitionBytesMax: 25_000 }, 'none', [2, 2]],
    ['of the request', { fetchRequestBytesMax: 35_000 }, 'gzip', [3, 0]],
    ['of the request, in the second partition', { fetchRequestBytesMax: 45_000 }, 'gzip', [3, 1]],
    ['the first batch always, and only once', { fetchRequestBytesMax: 1 }, 'gzip', [1, 0]],
    ['far away', {}, 'gzip', [3, 3]],
  ];
  for (const [name, limits, codec, records] of table) {
    await t.test(name, async () => {
      const { path, topicId, fetch } = await start(limits);
      for (const partition of [0, 1]) {
        for (let batch = 0; batch < 3; batch++) {
          const bytes = batchOf([large], { codec });
          await path.writePath.append([produced(topicId, partition, bytes)], {
            deadlineMs: Number.POSITIVE_INFINITY,
          });
        }
      }
      await settle();
      const response = await fetch([{ partition: 0 }, { partition: 1 }]);
      assert.deepEqual(
        partitionsOf(response).map((partition) => valuesOf(partition).length),
        records,
      );
      // Batches that were read and then left out are not counted.
      const bytes = partitionsOf(response).map((partition) => partition.records!.length);
      assert.deepEqual(sentBy(path), { records: sum(records), bytes: sum(bytes) });
    });
  }
});

test('a fetch of single batches returns one of each partition', async () => {
  const { write, fetch } = await start({ fetchesSingleBatch: true });
  await write(0, 'a', 'b', 'c');
  await write(1, ['d', 'e'], 'f');
  const read = async (fetchOffset: bigint) =>
    partitionsOf(await fetch([{ partition: 0, fetchOffset }, { partition: 1 }])).map(valuesOf);
  assert.deepEqual(await read(0n), [['0=a'], ['0=d', '1=e']]);
  assert.deepEqual(await read(1n), [['1=b'], ['0=d', '1=e']]);
});

test('a fetch from the middle of a batch returns the whole batch', async () => {
  const { write, fetch } = await start();
  await write(0, ['a', 'b', 'c'], ['d', 'e']);
  const [answer] = partitionsOf(await fetch([{ fetchOffset: 4n }]));
  assert.deepEqual(valuesOf(answer!), ['3=d', '4=e']);
});

test('a long poll ends when a record arrives', async () => {
  const { path, write, fetch } = await start();
  const waiting = fetch([{ partition: 0 }, { partition: 1 }], { maxWaitMs: 10_000 });
  await settle();
  path.clock.advance(5_000);
  await settle();
  await write(1, 'a');
  const [first, second] = partitionsOf(await waiting);
  assert.deepEqual([first!.records!.length, valuesOf(second!)], [0, ['0=a']]);
  assert.equal(path.clock.waiting, 0);
});

test('a long poll ends at its deadline', async () => {
  const { path, fetch } = await start();
  const waiting = fetch([{}], { maxWaitMs: 500 });
  await settle();
  assert.equal(path.clock.waiting, 1);
  path.clock.advance(500);
  const [answer] = partitionsOf(await waiting);
  assert.deepEqual([errorOf(answer!), answer!.records!.length], ['NONE', 0]);
});

test('a long poll ends when its client disconnects', async () => {
  const { path, fetch } = await start();
  const waiting = fetch([{}], { maxWaitMs: 500 });
  await settle();
  path.closed.abort();
  await waiting;
  assert.equal(path.clock.waiting, 0);
});

test('a long poll ends when its topic is deleted', async () => {
  const { path, topicId, fetch } = await start();
  const waiting = fetch([{}], { maxWaitMs: 500 });
  await settle();
  await path.cluster.deleteTopics([{ topicId }]);
  const [answer] = partitionsOf(await waiting);
  assert.equal(errorOf(answer!), 'INVALID_TOPIC_EXCEPTION');
});

test('a long poll waits for min bytes', async () => {
  const { path, write, fetch } = await start();
  await write(0, 'a');
  const bytes = batchOf(['a']).length;
  const waiting = fetch([{ partition: 0 }, { partition: 1 }], { maxWaitMs: 500, minBytes: 3 * bytes });
  let isAnswered = false;
  void waiting.then(() => {
    isAnswered = true;
  });
  await write(0, 'b');
  assert.equal(isAnswered, false);
  await write(1, 'c');
  const [first, second] = partitionsOf(await waiting);
  assert.deepEqual([valuesOf(first!), valuesOf(second!)], [['0=a', '1=b'], ['0=c']]);
  const enough = await fetch([{}], { maxWaitMs: 500, minBytes: 1_000_000, maxBytes: bytes });
  assert.deepEqual(valuesOf(partitionsOf(enough)[0]!), ['0=a'], 'more than the limit is never waited for');
  assert.equal(path.clock.waiting, 0);
});

test('an error ends the wait at once', async () => {
  const { write, fetch } = await start();
  await write(0, 'a');
  const response = await fetch([{ fetchOffset: 1n }, { partition: 9 }], { maxWaitMs: 500 });
  assert.deepEqual(partitionsOf(response).map(errorOf), ['NONE', 'UNKNOWN_TOPIC_OR_PARTITION']);
});

test('batches that are not in the cluster view are located by the control plane, with one call', async () => {
  const { path, topicId, write, fetch } = await start({ pages: { ownFiles: 'none' } });
  path.cluster.holdChanges();
  for (const partition of [0, 1]) {
    await path.writePath.append([produced(topicId, partition, batchOf(['a', 'b']))], { deadlineMs: 1e15 });
  }
  assert.equal(path.cluster.calls.findBatches, 0);
  const response = await fetch([{ partition: 0 }, { partition: 1, fetchOffset: 1n }, { partition: 2 }]);
  assert.deepEqual(partitionsOf(response).map(valuesOf), [['0=a', '1=b'], ['0=a', '1=b'], []]);
  assert.equal(path.cluster.calls.findBatches, 1);
  path.cluster.releaseChanges();
  await settle();
  await write(0, 'c');
  assert.deepEqual(valuesOf(partitionsOf(await fetch([{ fetchOffset: 2n }]))[0]!), ['2=c']);
  assert.equal(path.cluster.calls.findBatches, 1);
});

test('an offset beyond the cluster view is not out of range if it exists', async () => {
  const { path, topicId, fetch } = await start();
  path.cluster.holdChanges();
  await path.cluster.commitFiles([
    {
      fileId: 'f'.repeat(12) + '0'.repeat(20),
      fileBytes: 1_000,
      topicIds: [topicId],
      topic: Uint32Array.of(0),
      partition: Uint32Array.of(0),
      byteStart: Uint32Array.of(0),
      byteLength: Uint32Array.of(100),
      recordCount: Uint32Array.of(5),
      maxTimestampMs: Float64Array.of(0),
      producerId: Float64Array.of(-1),
      producerEpoch: Int16Array.of(-1),
      baseSequence: Int32Array.of(-1),
    },
  ]);
  assert.equal(path.view.ends(topicId, 0)!.nextOffset, 0);
  const [atEnd] = partitionsOf(await fetch([{ fetchOffset: 5n }]));
  assert.deepEqual([errorOf(atEnd!), atEnd!.highWatermark], ['NONE', 5n]);
  const [beyond] = partitionsOf(await fetch([{ fetchOffset: 6n }]));
  assert.equal(errorOf(beyond!), 'OFFSET_OUT_OF_RANGE');
});

test('a file that was replaced since the agent learned of it is located again', async () => {
  const moved = new Map<string, string>();
  const { path, write, fetch } = await start({
    pages: { ownFiles: 'none', cacheBytesMax: 0 },
    port: (cluster) =>
      new Proxy(cluster, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          if (name !== 'findBatches') return value.bind(target);
          return async (queries: Parameters<ClusterPort['findBatches']>[0]) => {
            const answers = await target.findBatches(queries);
            return answers.map((answer) => ({
              ...answer,
              pointers: {
                ...answer.pointers,
                fileId: answer.pointers.fileId.map((fileId) => moved.get(fileId) ?? fileId),
              },
            }));
          };
        },
      }),
  });
  await write(0, 'a');
  await write(1, 'b');
  const [key, content] = [...path.store.objects][0]!;
  const [fileId, newId] = [key.slice(-32), 'f'.repeat(32)];
  path.store.objects.delete(key);
  // Blanks the file header, which contains the old file id and is checked only if it is intact.
  const headless = Buffer.from(content).fill(0, 0, 8);
  path.store.objects.set(logFileKey(path.cluster.clusterId, newId), headless);
  const gone = await fetch([{ partition: 0 }, { partition: 1 }]);
  assert.deepEqual(partitionsOf(gone).map(errorOf), ['KAFKA_STORAGE_ERROR', 'NONE']);
  moved.set(fileId, newId);
  path.clock.advance(recheckMs);
  const found = await fetch([{ partition: 0 }, { partition: 1 }]);
  assert.deepEqual(partitionsOf(found).map(valuesOf), [['0=a'], ['0=b']]);

  // The agent has dropped its pointers to the old file, and does not look for it again.
  const getsBefore = path.store.gets;
  const again = await fetch([{ partition: 0 }, { partition: 1 }]);
  assert.deepEqual(partitionsOf(again).map(valuesOf), [['0=a'], ['0=b']]);
  assert.equal(path.store.gets - getsBefore, 2);
});

test('batches before and after a damaged file are served, and its own offsets are an error', async () => {
  for (const damage of ['delete', 'empty'] as const) {
    const { path, topicId, write, fetch } = await start({ pages: { ownFiles: 'none', cacheBytesMax: 0 } });
    await write(0, 'a', 'b', 'c');
    await write(1, 'other');
    const key = [...path.store.objects.keys()][1]!;
    const content = path.store.objects.get(key)!;
    if (damage === 'delete') path.store.objects.delete(key);
    else path.store.objects.set(key, Buffer.alloc(0));

    const first = partitionsOf(await fetch([{ partition: 0 }, { partition: 1 }]));
    assert.deepEqual(first.map(errorOf), ['NONE', 'NONE']);
    assert.deepEqual(first.map(valuesOf), [['0=a'], ['0=other']]);
    const second = partitionsOf(await fetch([{ partition: 0, fetchOffset: 1n }, { partition: 1 }]));
    assert.deepEqual(second.map(errorOf), ['KAFKA_STORAGE_ERROR', 'NONE']);
    assert.deepEqual(valuesOf(second[1]!), ['0=other']);
    const third = partitionsOf(await fetch([{ partition: 0, fetchOffset: 2n }]));
    assert.deepEqual(third.map(valuesOf), [['2=c']]);
    assert.partialDeepStrictEqual(path.damage.known(), [
      { topicId, partition: 0, firstOffset: 1, nextOffset: 2, fileId: key.slice(-32) },
    ]);

    path.store.objects.set(key, content);
    path.clock.advance(recheckMs);
    const restored = partitionsOf(await fetch([{ partition: 0, fetchOffset: 1n }]));
    assert.deepEqual(restored.map(valuesOf), [['1=b', '2=c']]);
    assert.deepEqual(path.damage.known(), []);
  }
});

test('known damage is reported after the wait, without a call to the store, and other partitions are served', async () => {
  const { path, write, fetch } = await start({ pages: { ownFiles: 'none', cacheBytesMax: 0 } });
  await write(0, 'a');
  path.store.objects.clear();
  const wanted = [{ partition: 0 }, { partition: 1 }];
  const waiting = { maxWaitMs: 500 };
  assert.deepEqual(partitionsOf(await fetch(wanted, waiting)).map(errorOf), ['KAFKA_STORAGE_ERROR', 'NONE']);
  const { gets } = path.store;

  let answered = false;
  const quiet = fetch(wanted, waiting).finally(() => {
    answered = true;
  });
  await settle();
  path.clock.advance(499);
  await settle();
  assert.ok(!answered);
  path.clock.advance(1);
  assert.deepEqual(partitionsOf(await quiet).map(errorOf), ['KAFKA_STORAGE_ERROR', 'NONE']);
  assert.equal(path.store.gets, gets);

  const busy = fetch(wanted, waiting);
  await write(1, 'b');
  const both = partitionsOf(await busy);
  assert.deepEqual(both.map(errorOf), ['KAFKA_STORAGE_ERROR', 'NONE']);
  assert.deepEqual(valuesOf(both[1]!), ['0=b']);
});

test('lasting damage becomes an error that clients report to the application', async () => {
  const { path, write, fetch } = await start({ pages: { ownFiles: 'none', cacheBytesMax: 0 } });
  await write(0, 'a');
  path.store.objects.clear();
  const error = async () => partitionsOf(await fetch([{ partition: 0 }])).map(errorOf);
  assert.deepEqual(await error(), ['KAFKA_STORAGE_ERROR']);
  path.clock.advance(retriedMs - 1);
  assert.deepEqual(await error(), ['KAFKA_STORAGE_ERROR']);
  path.clock.advance(1);
  assert.deepEqual(await error(), ['CORRUPT_MESSAGE']);
});

test('damage is cleared when its topic is deleted', async () => {
  const { path, topicId, write, fetch } = await start({ pages: { ownFiles: 'none', cacheBytesMax: 0 } });
  await write(0, 'a');
  path.store.objects.clear();
  await fetch([{ partition: 0 }]);
  assert.equal(path.damage.report().length, 1);
  await path.cluster.deleteTopics([{ topicId }]);
  await settle();
  assert.deepEqual(path.damage.report(), []);
});

test('if the control plane or the store is unavailable, only partitions that need it fail', async () => {
  const { path, topicId, write, fetch } = await start({ pages: { ownFiles: 'none', cacheBytesMax: 0 } });
  await write(0, 'a');
  path.cluster.holdChanges();
  await path.writePath.append([produced(topicId, 1, batchOf(['b']))], { deadlineMs: 1e15 });
  path.cluster.unavailable = true;
  const response = await fetch([{ partition: 0 }, { partition: 1 }, { partition: 2 }]);
  assert.deepEqual(partitionsOf(response).map(errorOf), ['NONE', 'KAFKA_STORAGE_ERROR', 'NONE']);
  path.cluster.unavailable = false;
  path.store.beforeGet = () => Promise.reject(new Error('no'));
  const errors = partitionsOf(await fetch([{ partition: 0 }, { partition: 2 }])).map(errorOf);
  assert.deepEqual(errors, ['KAFKA_STORAGE_ERROR', 'NONE']);
  const old = partitionsOf(await fetch([{ partition: 0 }], { version: 5 })).map(errorOf);
  assert.deepEqual(old, ['NOT_LEADER_OR_FOLLOWER']);
});

test('read_committed gets an empty list of aborted transactions, read_uncommitted gets null', async () => {
  const { write, fetch } = await start();
  await write(0, 'a');
  const listOf = async (isolationLevel: number) =>
    partitionsOf(await fetch([{}], { isolationLevel }))[0]!.abortedTransactions;
  assert.deepEqual([await listOf(0), await listOf(1)], [null, []]);
});

test('a whole partition can be read in steps, with any limit and any page size', async () => {
  for (const [pageBytes, partitionMaxBytes] of [
    [64, 100],
    [1_000, 250],
    [1 << 20, 700],
  ] as const) {
    const { write, fetch } = await start({ pages: { pageBytes, ownFiles: 'none' } });
    const expected = Array.from({ length: 40 }, (_, index) => `${index}=${'v'.repeat(index)}`);
    for (const text of expected) await write(0, text.slice(text.indexOf('=') + 1));
    const read: string[] = [];
    while (read.length < expected.length) {
      const [answer] = partitionsOf(await fetch([{ fetchOffset: BigInt(read.length), partitionMaxBytes }]));
      read.push(...valuesOf(answer!));
    }
    assert.deepEqual(read, expected);
  }
});
