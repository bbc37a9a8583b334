import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { compressionsAlgorithms } from '@platformatic/kafka';
import { codecIds } from '@weir/wire';
import {
  type Admin,
  type CompressionTypes,
  Kafka,
  logLevel,
  type Producer,
  type ProducerConfig,
} from 'kafkajs';
import { plugCodec } from '../clients/kafkajs.ts';
import { recordsOf, storedTopic, valuesOf } from './stored.ts';
import { numberedValues } from './topics.ts';
import { startLocal } from './weir-process.ts';

/**
 * kafkajs 2.2.4 uses old versions: Produce up to v7, Metadata up to v6, ListOffsets up to v3. It reads only as a group
 * member, which applications/ covers; here its records are read with Weir's codec.
 */
const broker = (await startLocal({ after })).address('Kafka');
const kafka = new Kafka({ clientId: 'judge', brokers: [broker], logLevel: logLevel.NOTHING });
const bounded = { timeout: 180_000 };

// kafkajs includes gzip and leaves the other codecs to plug-ins. These are not the libraries that Weir uses, except for
// zstd, which is that of node:zlib.
for (const codec of ['snappy', 'lz4', 'zstd'] as const) {
  const { compressSync, decompressSync } = compressionsAlgorithms[codec];
  plugCodec(codecIds[codec], compressSync, decompressSync);
}

async function withAdmin<Value>(use: (admin: Admin) => Promise<Value>): Promise<Value> {
  // kafkajs retries for many seconds when a topic is missing.
  const admin = kafka.admin({ retry: { retries: 1 } });
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
}

async function withProducer<Value>(
  use: (producer: Producer) => Promise<Value>,
  options: Pick<ProducerConfig, 'idempotent' | 'retry'> = {},
): Promise<Value> {
  const producer = kafka.producer({ allowAutoTopicCreation: false, ...options });
  await producer.connect();
  try {
    return await use(producer);
  } finally {
    await producer.disconnect();
  }
}

async function createTopic(topic: string, numPartitions = 1): Promise<void> {
  const isNew = await withAdmin((admin) => admin.createTopics({ topics: [{ topic, numPartitions }] }));
  assert.equal(isNew, true);
}

const messagesOf = (values: readonly string[]) => values.map((value) => ({ value }));

test('kafkajs creates, describes, widens and deletes topics', bounded, async () => {
  await withAdmin(async (admin) => {
    assert.equal(await admin.createTopics({ topics: [{ topic: 'orders', numPartitions: 3 }] }), true);
    assert.equal(await admin.createTopics({ topics: [{ topic: 'orders' }] }), false, 'it exists already');
    assert.ok((await admin.listTopics()).includes('orders'));
    const { brokers, controller, clusterId } = await admin.describeCluster();
    assert.deepEqual(
      brokers.map(({ host, port }) => `${host}:${port}`),
      [broker],
    );
    assert.match(clusterId, /^vci_/);
    const partitionsOf = async () =>
      (await admin.fetchTopicMetadata({ topics: ['orders'] })).topics[0]!.partitions;
    assert.deepEqual((await partitionsOf()).map(({ partitionId, leader }) => [partitionId, leader]).sort(), [
      [0, controller],
      [1, controller],
      [2, controller],
    ]);
    await admin.createPartitions({ topicPartitions: [{ topic: 'orders', count: 7 }] });
    assert.equal((await partitionsOf()).length, 7);
    await admin.deleteTopics({ topics: ['orders'] });
    assert.ok(!(await admin.listTopics()).includes('orders'));
    await assert.rejects(admin.deleteTopics({ topics: ['orders'] }), /does not host this topic-partition/);
  });
});

test('a topic that is deleted and made again is empty', bounded, async () => {
  await createTopic('again');
  await withProducer((producer) => producer.send({ topic: 'again', messages: messagesOf(['old']) }));
  await withAdmin((admin) => admin.deleteTopics({ topics: ['again'] }));
  await createTopic('again');
  await withProducer((producer) => producer.send({ topic: 'again', messages: messagesOf(['new']) }));
  const [batches] = await storedTopic(broker, 'again', 1);
  assert.deepEqual(
    recordsOf(batches!).map(({ offset, value }) => [offset, String(value)]),
    [[0n, 'new']],
  );
});

test('kafkajs asks for offsets by name and by time', bounded, async () => {
  await createTopic('offsets', 2);
  const timestamps = [1_700_000_000_000, 1_700_000_001_000, 1_700_000_002_000];
  await withProducer(async (producer) => {
    for (const timestamp of timestamps) {
      const messages = [{ partition: 1, value: `at ${timestamp}`, timestamp: `${timestamp}` }];
      await producer.send({ topic: 'offsets', messages });
    }
  });
  await withAdmin(async (admin) => {
    const byPartition = <Row extends { readonly partition: number }>(rows: readonly Row[]) =>
      rows.toSorted((a, b) => a.partition - b.partition);
    assert.deepEqual(byPartition(await admin.fetchTopicOffsets('offsets')), [
      { partition: 0, offset: '0', high: '0', low: '0' },
      { partition: 1, offset: '3', high: '3', low: '0' },
    ]);
    const at = async (timestamp: number) =>
      byPartition(await admin.fetchTopicOffsetsByTimestamp('offsets', timestamp)).map(({ offset }) => offset);
    assert.deepEqual(await at(timestamps[0]! - 1), ['0', '0']);
    assert.deepEqual(await at(timestamps[1]!), ['0', '1']);
    assert.deepEqual(await at(timestamps[1]! + 1), ['0', '2']);
    assert.deepEqual(
      await at(timestamps[2]! + 1),
      ['0', '3'],
      'kafkajs gives the end where there is no such record',
    );
  });
});

for (const [name, acks] of [
  ['0', 0],
  ['1', 1],
  ['all', -1],
] as const) {
  test(`kafkajs writes with acks ${name}`, bounded, async () => {
    const topic = `acks-${name}`;
    const values = numberedValues(200);
    await createTopic(topic);
    await withProducer(async (producer) => {
      const answers = [];
      for (let start = 0; start < values.length; start += 50) {
        const messages = messagesOf(values.slice(start, start + 50));
        answers.push(...((await producer.send({ topic, acks, messages })) ?? []));
      }
      // acks=0 has no response, and the close of the connection must not overtake the request.
      if (acks === 0) await storedTopic(broker, topic, values.length);
      else
        assert.deepEqual(
          answers.map(({ errorCode, baseOffset }) => [errorCode, baseOffset]),
          [
            [0, '0'],
            [0, '50'],
            [0, '100'],
            [0, '150'],
          ],
        );
    });
    const [batches] = await storedTopic(broker, topic, values.length);
    assert.deepEqual(valuesOf(batches!), values);
  });
}

for (const codec of ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const) {
  test(`kafkajs writes ${codec}`, bounded, async () => {
    const topic = `codec-${codec}`;
    const values = numberedValues(300);
    await createTopic(topic);
    const compression: CompressionTypes = codecIds[codec];
    await withProducer((producer) => producer.send({ topic, compression, messages: messagesOf(values) }));
    const [batches] = await storedTopic(broker, topic, values.length);
    assert.deepEqual(valuesOf(batches!), values);
    assert.deepEqual([...new Set(batches!.map((batch) => batch.codec))], [codec]);
  });
}

test('kafkajs as an idempotent producer is known by its id', bounded, async () => {
  await createTopic('idempotent', 4);
  const values = numberedValues(400);
  await withProducer(
    async (producer) => {
      for (let start = 0; start < values.length; start += 40) {
        const messages = values
          .slice(start, start + 40)
          .map((value, index) => ({ value, partition: index % 4 }));
        await producer.send({ topic: 'idempotent', messages });
      }
    },
    { idempotent: true },
  );
  const stored = await storedTopic(broker, 'idempotent', values.length);
  const producerIds = new Set(stored.flat().map(({ producerId }) => producerId));
  assert.equal(producerIds.size, 1);
  assert.ok([...producerIds][0]! >= 0n);
  for (const [partition, batches] of stored.entries()) {
    assert.deepEqual(
      valuesOf(batches),
      values.filter((_, index) => index % 4 === partition),
    );
    assert.deepEqual(
      batches.map(({ baseSequence }) => baseSequence),
      [0, 10, 20, 30, 40, 50, 60, 70, 80, 90],
    );
  }
});

test('keys, headers, timestamps and tombstones are stored as kafkajs sent them', bounded, async () => {
  await createTopic('whole');
  await withProducer((producer) =>
    producer.send({
      topic: 'whole',
      messages: [
        {
          key: 'apple',
          value: 'red',
          headers: { origin: 'orchard', grüße: 'aus Köln' },
          timestamp: '1700000000000',
        },
        { key: 'apple', value: null, timestamp: '1600000000000' },
      ],
    }),
  );
  const [batches] = await storedTopic(broker, 'whole', 2);
  assert.deepEqual(
    recordsOf(batches!).map(({ offset, timestamp, key, value, headers }) => ({
      offset,
      timestamp,
      key: String(key),
      value: value?.toString() ?? null,
      headers: headers.map((header) => [header.key, String(header.value)]),
    })),
    [
      {
        offset: 0n,
        timestamp: 1_700_000_000_000n,
        key: 'apple',
        value: 'red',
        headers: [
          ['origin', 'orchard'],
          ['grüße', 'aus Köln'],
        ],
      },
      { offset: 1n, timestamp: 1_600_000_000_000n, key: 'apple', value: null, headers: [] },
    ],
  );
});

test('kafkajs writes to 1,000 partitions in one request', bounded, async () => {
  await createTopic('wide', 1000);
  const messages = Array.from({ length: 3000 }, (_, number) => ({
    partition: number % 1000,
    value: `value ${number}`,
  }));
  const answers = await withProducer((producer) => producer.send({ topic: 'wide', messages }));
  assert.equal(answers.length, 1000);
  assert.ok(answers.every(({ errorCode, baseOffset }) => errorCode === 0 && baseOffset === '0'));
  const stored = await storedTopic(broker, 'wide', messages.length);
  for (const [partition, batches] of stored.entries()) {
    assert.deepEqual(
      recordsOf(batches).map(({ offset, value }) => [offset, String(value)]),
      [0n, 1n, 2n].map((offset) => [offset, `value ${partition + 1000 * Number(offset)}`]),
    );
  }
  const offsets = await withAdmin((admin) => admin.fetchTopicOffsets('wide'));
  assert.equal(offsets.length, 1000);
  assert.ok(offsets.every(({ low, high }) => low === '0' && high === '3'));
});

test('kafkajs creates a topic by writing to it, where it is told to', bounded, async () => {
  const producer = kafka.producer({ allowAutoTopicCreation: true });
  await producer.connect();
  try {
    await producer.send({ topic: 'made-by-writing', messages: messagesOf(['hello']) });
  } finally {
    await producer.disconnect();
  }
  assert.deepEqual((await storedTopic(broker, 'made-by-writing', 1)).flatMap(valuesOf), ['hello']);
  await withProducer(
    (strict) =>
      assert.rejects(
        strict.send({ topic: 'not-there', messages: messagesOf(['x']) }),
        /does not host this topic-partition/,
      ),
    { retry: { retries: 1 } },
  );
});

/** Reads as a member of a group until it has the wanted number of values, or crashes. */
async function readInGroup(groupId: string, topic: string, count: number): Promise<string[]> {
  const consumer = kafka.consumer({ groupId, retry: { retries: 2 } });
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    const values: string[] = [];
    await new Promise<void>((resolve, reject) => {
      consumer.on('consumer.crash', ({ payload }) => reject(payload.error));
      const eachMessage = async ({ message }: { message: { value: Buffer | null } }) => {
        values.push(String(message.value));
        if (values.length === count) resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
    });
    return values;
  } finally {
    await consumer.disconnect();
  }
}

test('kafkajs resets the offsets of a group, which commits negative offsets', bounded, async () => {
  await createTopic('reset');
  await withProducer((producer) => producer.send({ topic: 'reset', messages: messagesOf(['a', 'b']) }));
  assert.deepEqual(await readInGroup('resetting', 'reset', 2), ['a', 'b']);
  await withAdmin(async (admin) => {
    await admin.resetOffsets({ groupId: 'resetting', topic: 'reset', earliest: true });
    const [found] = await admin.fetchOffsets({ groupId: 'resetting', topics: ['reset'] });
    assert.deepEqual(
      found!.partitions.map(({ offset }) => offset),
      ['-2'],
    );
  });
  assert.deepEqual(await readInGroup('resetting', 'reset', 2), ['a', 'b'], 'from the beginning again');
});

test('a kafkajs consumer whose offset is gone goes on with what is left', bounded, async () => {
  await createTopic('shortened');
  const partitions = [{ partition: 0, offset: '2' }];
  await withProducer((producer) =>
    producer.send({ topic: 'shortened', messages: messagesOf(['a', 'b', 'c', 'd']) }),
  );
  await withAdmin(async (admin) => {
    await admin.setOffsets({
      groupId: 'late',
      topic: 'shortened',
      partitions: [{ partition: 0, offset: '1' }],
    });
    await admin.deleteTopicRecords({ topic: 'shortened', partitions });
  });
  assert.deepEqual(await readInGroup('late', 'shortened', 2), ['c', 'd']);
});
