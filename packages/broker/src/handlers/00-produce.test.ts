import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '@weir/core/testing';
import {
  apis,
  batchRecords,
  buildRecordBatch,
  type CompressionCodec,
  type ErrorName,
  errorByCode,
  type RecordBatchView,
  recordBatches,
  zeroUuid,
} from '@weir/wire';
import { batchOf, DataPath, type DataPathOptions, record } from '../../testing/data-path.ts';

interface ProduceArguments {
  readonly version?: number;
  readonly acks?: number;
  readonly timeoutMs?: number;
  readonly topic?: string;
  readonly topicId?: string;
  readonly partition?: number;
}

async function start(options: DataPathOptions = {}, configs: Record<string, string> = {}) {
  const path = new DataPath(options);
  const { topicId } = path.cluster.addTopic('t', 3, configs);
  await path.ready();

  async function send(records: Buffer | null, args: ProduceArguments = {}) {
    const { version = 11, acks = -1, timeoutMs = 30_000, topic = 't', partition = 0 } = args;
    return await path.call('Produce', version, {
      acks,
      timeoutMs,
      topicData: [
        { name: topic, topicId: args.topicId ?? topicId, partitionData: [{ index: partition, records }] },
      ],
    });
  }

  async function produce(records: Buffer | null, args: ProduceArguments = {}) {
    const response = await send(records, args);
    assert.ok(typeof response !== 'string');
    const answer = response.responses[0]!.partitionResponses[0]!;
    return { ...answer, error: errorByCode(answer.errorCode)!.name };
  }

  async function stored(partition = 0): Promise<RecordBatchView[]> {
    await settle();
    const response = await path.call('Fetch', 11, {
      maxWaitMs: 0,
      minBytes: 0,
      topics: [{ topic: 't', partitions: [{ partition, fetchOffset: 0n, partitionMaxBytes: 1 << 30 }] }],
    });
    assert.ok(typeof response !== 'string');
    const batches = [
      ...recordBatches(response.responses[0]!.partitions[0]!.records!, { partialTail: 'error' }),
    ];
    assert.ok(batches.every((batch) => batch.hasValidCrc()));
    return batches;
  }
  return { path, topicId, send, produce, stored };
}

test('every version writes, by name or by id', async () => {
  const { produce, stored } = await start();
  const { lowest, highest } = apis.Produce.versions;
  for (let version = lowest; version <= highest; version++) {
    const { error, baseOffset, logAppendTimeMs, logStartOffset } = await produce(batchOf([`v${version}`]), {
      version,
    });
    assert.equal(error, 'NONE', `v${version}`);
    assert.deepEqual(
      [baseOffset, logAppendTimeMs, logStartOffset],
      [BigInt(version - lowest), -1n, version < 5 ? -1n : 0n],
    );
  }
  const values = (await stored()).flatMap((batch) =>
    [...batchRecords(batch)].map(({ value }) => value!.toString()),
  );
  assert.deepEqual(
    values,
    Array.from({ length: highest - lowest + 1 }, (_, index) => `v${lowest + index}`),
  );
});

test('an invalid batch or partition is reported per partition', async (t) => {
  const { produce, stored } = await start();
  const corrupt = batchOf(['a']);
  corrupt[corrupt.length - 1]! ^= 1;
  const transactional = batchOf(['a'], {
    producerId: 1n,
    producerEpoch: 0,
    baseSequence: 0,
    isTransactional: true,
  });
  const table: [name: string, records: Buffer | null, args: ProduceArguments, error: ErrorName][] = [
    ['unknown name', batchOf(['a']), { topic: 'u' }, 'UNKNOWN_TOPIC_OR_PARTITION'],
    ['unknown id', batchOf(['a']), { version: 13, topicId: zeroUuid }, 'UNKNOWN_TOPIC_ID'],
    ['unknown partition', batchOf(['a']), { partition: 3 }, 'UNKNOWN_TOPIC_OR_PARTITION'],
    [
      'unknown partition of an id',
      batchOf(['a']),
      { version: 13, partition: 3 },
      'UNKNOWN_TOPIC_OR_PARTITION',
    ],
    ['acks', batchOf(['a']), { acks: 2 }, 'INVALID_REQUIRED_ACKS'],
    ['no batch', null, {}, 'INVALID_RECORD'],
    ['two batches', Buffer.concat([batchOf(['a']), batchOf(['b'])]), {}, 'INVALID_RECORD'],
    ['checksum', corrupt, {}, 'CORRUPT_MESSAGE'],
    ['zstd before v7', batchOf(['a'], { codec: 'zstd' }), { version: 6 }, 'UNSUPPORTED_COMPRESSION_TYPE'],
    ['zstd since', batchOf(['a'], { codec: 'zstd' }), { version: 7 }, 'NONE'],
    ['a transaction without its id', transactional, {}, 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED'],
    [
      'a producer id that was never assigned',
      batchOf(['a'], { producerId: 2n ** 60n, producerEpoch: 0, baseSequence: 0 }),
      {},
      'INVALID_RECORD',
    ],
  ];
  for (const [name, records, args, expected] of table) {
    await t.test(name, async () => {
      const { error, baseOffset } = await produce(records, args);
      assert.equal(error, expected);
      assert.equal(baseOffset, expected === 'NONE' ? 0n : -1n);
    });
  }
  assert.equal((await stored()).length, 1);
});

test('partitions of one request are validated separately and written together', async () => {
  const { path } = await start();
  const response = await path.call('Produce', 9, {
    acks: -1,
    timeoutMs: 1_000,
    topicData: [
      {
        name: 't',
        partitionData: [
          { index: 0, records: batchOf(['a']) },
          { index: 1, records: null },
          { index: 7, records: batchOf(['b']) },
          { index: 2, records: batchOf(['c']) },
        ],
      },
      { name: 'u', partitionData: [{ index: 0, records: batchOf(['d']) }] },
    ],
  });
  assert.ok(typeof response !== 'string');
  assert.deepEqual(
    response.responses.map(({ name, partitionResponses }) => [
      name,
      partitionResponses.map(({ index, errorCode, baseOffset }) => [
        index,
        errorByCode(errorCode)!.name,
        Number(baseOffset),
      ]),
    ]),
    [
      [
        't',
        [
          [0, 'NONE', 0],
          [1, 'INVALID_RECORD', -1],
          [7, 'UNKNOWN_TOPIC_OR_PARTITION', -1],
          [2, 'NONE', 0],
        ],
      ],
      ['u', [[0, 'UNKNOWN_TOPIC_OR_PARTITION', -1]]],
    ],
  );
  assert.equal(path.store.puts, 1);
});

test('acks 0 gets no response, and an error closes the connection', async () => {
  const { path, send, produce, stored } = await start();
  assert.equal(await send(batchOf(['a']), { acks: 0 }), 'noReply');
  assert.equal(await send(null, { acks: 0 }), 'close');
  assert.equal((await stored()).length, 1);
  path.store.beforePut = () => Promise.reject(new Error('no'));
  assert.equal(await send(batchOf(['a']), { acks: 0 }), 'close');
  assert.equal((await produce(batchOf(['a']), { acks: 1 })).error, 'KAFKA_STORAGE_ERROR');
});

test('the record size limit is that of the topic, then the cluster, then the agent', async (t) => {
  const small = 10_000;
  const table: [
    name: string,
    topic: Record<string, string>,
    cluster: Record<string, string>,
    recordBytesMax: number,
    error: ErrorName,
  ][] = [
    ['agent allows', {}, {}, small, 'NONE'],
    ['agent', {}, {}, 1_000, 'MESSAGE_TOO_LARGE'],
    ['cluster before agent', {}, { 'message.max.bytes': '1000' }, small, 'MESSAGE_TOO_LARGE'],
    ['cluster allows', {}, { 'message.max.bytes': '10000' }, 1_000, 'NONE'],
    [
      'topic before cluster',
      { 'max.message.bytes': '1000' },
      { 'message.max.bytes': '10000' },
      small,
      'MESSAGE_TOO_LARGE',
    ],
    ['topic allows', { 'max.message.bytes': '10000' }, { 'message.max.bytes': '1000' }, 1_000, 'NONE'],
  ];
  for (const [name, topic, clusterConfigs, recordBytesMax, expected] of table) {
    await t.test(name, async () => {
      const { produce } = await start({ clusterConfigs, recordBytesMax }, topic);
      const ok = Array.from({ length: 30 }, () => 'x'.repeat(500));
      for (const codec of ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const satisfies CompressionCodec[]) {
        assert.equal(
          (await produce(batchOf(ok, { codec }))).error,
          'NONE',
          `${codec}: records count one by one`,
        );
        const { error, recordErrors } = await produce(batchOf(['a', 'x'.repeat(5_000)], { codec }));
        assert.equal(error, expected, codec);
        if (expected !== 'NONE') assert.equal(recordErrors[0]!.batchIndex, 1);
      }
    });
  }
});

test('compacted topics require keys, and the error lists the records without one', async () => {
  for (const policy of ['compact', 'compact,delete', 'delete, compact']) {
    const { produce } = await start({}, { 'cleanup.policy': policy });
    const mixed = buildRecordBatch([record('a', 1n, 'k'), record('b'), record('c')]);
    const { error, recordErrors, errorMessage } = await produce(mixed);
    assert.equal(error, 'INVALID_RECORD');
    assert.deepEqual(
      recordErrors.map(({ batchIndex }) => batchIndex),
      [1, 2],
    );
    assert.match(errorMessage!, /compacted/);
    assert.equal((await produce(buildRecordBatch([record('a', 1n, 'k')]))).error, 'NONE');
  }
});

test('topics with LogAppendTime stamp their records', async () => {
  const { path, produce, stored } = await start({}, { 'message.timestamp.type': 'LogAppendTime' });
  const { error, logAppendTimeMs } = await produce(batchOf(['a', 'b']));
  assert.equal(error, 'NONE');
  assert.equal(logAppendTimeMs, BigInt(path.clock.nowMs()));
  const [batch] = await stored();
  assert.equal(batch!.timestampType, 'logAppendTime');
  assert.deepEqual(
    [...batchRecords(batch!)].map(({ timestamp }) => timestamp),
    [logAppendTimeMs, logAppendTimeMs],
  );
});

test('a wrong max timestamp is corrected if records are validated', async () => {
  const { produce, stored } = await start({}, { 'cleanup.policy': 'compact' });
  const records = [record('a', 500n, 'k'), record('b', 900n, 'k'), record('c', 100n, 'k')];
  assert.equal((await produce(buildRecordBatch(records, { maxTimestamp: 100n }))).error, 'NONE');
  assert.equal((await stored())[0]!.maxTimestamp, 900n);
});

test('a repeated batch returns its first offset', async () => {
  const { produce, stored } = await start();
  const of = (baseSequence: number) => batchOf(['a'], { producerId: 5n, producerEpoch: 0, baseSequence });
  const offsets: [error: ErrorName, offset: bigint][] = [];
  for (const sequence of [0, 1, 0, 1, 3, 2]) {
    const { error, baseOffset } = await produce(of(sequence));
    offsets.push([error, baseOffset]);
  }
  assert.deepEqual(offsets, [
    ['NONE', 0n],
    ['NONE', 1n],
    ['NONE', 0n],
    ['NONE', 1n],
    ['OUT_OF_ORDER_SEQUENCE_NUMBER', -1n],
    ['NONE', 2n],
  ]);
  assert.equal((await stored()).length, 3);
});

test('old clients get errors that they know', async () => {
  const { path, produce } = await start();
  path.store.beforePut = () => Promise.reject(new Error('no'));
  assert.equal((await produce(batchOf(['a']), { version: 3 })).error, 'NOT_LEADER_OR_FOLLOWER');
  assert.equal((await produce(batchOf(['a']), { version: 4 })).error, 'KAFKA_STORAGE_ERROR');
});

test('the timeout is that of the request', async () => {
  const { path, produce } = await start();
  path.cluster.unavailable = true;
  const waiting = produce(batchOf(['a']), { timeoutMs: 1_500 });
  let isAnswered = false;
  void waiting.then(() => {
    isAnswered = true;
  });
  for (let elapsedMs = 0; elapsedMs < 1_500; elapsedMs += 100) {
    await settle();
    assert.equal(isAnswered, false, `${elapsedMs} ms`);
    path.clock.advance(100);
  }
  assert.equal((await waiting).error, 'REQUEST_TIMED_OUT');
});
