import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  Admin,
  Consumer,
  ProduceAcks,
  type ProduceOptions,
  Producer,
  stringDeserializers,
  stringSerializers,
} from '@platformatic/kafka';
import { codecIds, codecOfId } from '@weir/wire';
import { recordsOf, storedTopic, valuesOf } from './stored.ts';
import { numberedValues } from './topics.ts';
import { startLocal } from './weir-process.ts';

/**
 * @platformatic/kafka 2.12.1 uses the flexible versions: Produce up to v11, Fetch up to v17 with topic ids, Metadata up
 * to v12. Its streams need a group, which applications/ covers; its low-level Fetch does not.
 */
const broker = (await startLocal({ after })).address('Kafka');
const bounded = { timeout: 180_000 };
const client = { clientId: 'judge', bootstrapBrokers: [broker], retries: 3 };

type TextProducer = Producer<string, string, string, string>;
type TextOptions = ProduceOptions<string, string, string, string>;

async function withAdmin<Value>(use: (admin: Admin) => Promise<Value>): Promise<Value> {
  const admin = new Admin(client);
  try {
    return await use(admin);
  } finally {
    await admin.close();
  }
}

async function withProducer<Value>(
  options: TextOptions,
  use: (producer: TextProducer) => Promise<Value>,
): Promise<Value> {
  const producer = new Producer({ ...client, ...options, serializers: stringSerializers });
  try {
    return await use(producer);
  } finally {
    await producer.close();
  }
}

const createTopic = (topic: string, partitions = 1) =>
  withAdmin((admin) => admin.createTopics({ topics: [topic], partitions, replicas: 1 }));

interface ReadRecord {
  readonly offset: bigint;
  readonly timestamp: bigint;
  readonly key: string | undefined;
  readonly value: string | undefined;
  readonly headers: readonly (readonly [string, string])[];
  readonly codec: string | undefined;
}

const compressionBits = 7;

/** Reads partitions from start to end with the client's own Fetch and batch parser. */
async function readAll(topic: string, partitionCount: number): Promise<readonly (readonly ReadRecord[])[]> {
  const consumer = new Consumer({ ...client, groupId: 'nobody', deserializers: stringDeserializers });
  try {
    const metadata = await consumer.metadata({ topics: [topic] });
    const { id, partitions } = metadata.topics.get(topic)!;
    const found: ReadRecord[][] = Array.from({ length: partitionCount }, () => []);
    const behind = new Set(found.keys());
    while (behind.size > 0) {
      const answer = await consumer.fetch({
        node: partitions[0]!.leader,
        maxWaitTime: 10,
        minBytes: 0,
        maxBytes: 10_000_000,
        topics: [
          {
            topicId: id,
            partitions: Array.from(behind, (partition) => ({
              partition,
              currentLeaderEpoch: partitions[partition]!.leaderEpoch,
              fetchOffset: BigInt(found[partition]!.length),
              lastFetchedEpoch: -1,
              partitionMaxBytes: 1_000_000,
            })),
          },
        ],
      });
      for (const { partitionIndex, highWatermark, records } of answer.responses[0]?.partitions ?? []) {
        const known = found[partitionIndex]!;
        for (const batch of records ?? []) {
          for (const record of batch.records) {
            const offset = batch.firstOffset + BigInt(record.offsetDelta);
            // Fetch returns whole batches, so the first may begin before the requested offset.
            if (offset < BigInt(known.length)) continue;
            known.push({
              offset,
              timestamp: batch.firstTimestamp + record.timestampDelta,
              key: record.key?.toString(),
              value: record.value?.toString(),
              headers: record.headers.map(([key, value]) => [String(key), String(value)] as const),
              codec: codecOfId(batch.attributes & compressionBits),
            });
          }
        }
        if (BigInt(known.length) >= highWatermark) behind.delete(partitionIndex);
      }
    }
    return found;
  } finally {
    await consumer.close();
  }
}

test('@platformatic/kafka creates, describes, widens and deletes topics', bounded, async () => {
  await withAdmin(async (admin) => {
    const created = await admin.createTopics({ topics: ['orders', 'other'], partitions: 3, replicas: 1 });
    assert.deepEqual(
      created.map(({ name, partitions }) => [name, partitions]),
      [
        ['orders', 3],
        ['other', 3],
      ],
    );
    const metadata = await admin.metadata({ topics: ['orders'] });
    assert.deepEqual(
      [...metadata.brokers.values()].map(({ host, port }) => `${host}:${port}`),
      [broker],
    );
    assert.match(metadata.id, /^vci_/);
    assert.equal(metadata.topics.get('orders')?.id, created[0]!.id);
    await admin.createPartitions({ topics: [{ name: 'orders', count: 5 }] });
    const widened = await admin.metadata({ topics: ['orders'], forceUpdate: true });
    assert.equal(widened.topics.get('orders')?.partitionsCount, 5);
    await admin.deleteTopics({ topics: ['orders'] });
    const left = await admin.listTopics();
    assert.ok(left.includes('other') && !left.includes('orders'));
  });
});

for (const codec of Object.keys(codecIds) as (keyof typeof codecIds)[]) {
  test(`@platformatic/kafka writes and reads ${codec}`, bounded, async () => {
    const topic = `codec-${codec}`;
    const values = numberedValues(300);
    await createTopic(topic);
    await withProducer({ compression: codec }, async (producer) => {
      for (let start = 0; start < values.length; start += 100) {
        const { offsets } = await producer.send({
          messages: values.slice(start, start + 100).map((value) => ({ topic, partition: 0, value })),
        });
        assert.deepEqual(offsets, [{ topic, partition: 0, offset: BigInt(start) }]);
      }
    });
    const [batches] = await storedTopic(broker, topic, values.length);
    assert.deepEqual(valuesOf(batches!), values);
    const [read] = await readAll(topic, 1);
    assert.deepEqual(
      read!.map((record) => [record.offset, record.value, record.codec]),
      values.map((value, offset) => [BigInt(offset), value, codec]),
    );
  });
}

for (const [name, acks] of Object.entries(ProduceAcks)) {
  test(`@platformatic/kafka writes with acks ${name}`, bounded, async () => {
    const topic = `acks-${name}`;
    const values = numberedValues(100);
    await createTopic(topic);
    await withProducer({ acks }, async (producer) => {
      await producer.send({ messages: values.map((value) => ({ topic, partition: 0, value })) });
      await storedTopic(broker, topic, values.length);
    });
    const [batches] = await storedTopic(broker, topic, values.length);
    assert.deepEqual(valuesOf(batches!), values);
  });
}

test('@platformatic/kafka as an idempotent producer is known by its id', bounded, async () => {
  await createTopic('idempotent', 2);
  const values = numberedValues(100);
  await withProducer({ idempotent: true, acks: ProduceAcks.ALL }, async (producer) => {
    for (let start = 0; start < values.length; start += 20) {
      await producer.send({
        messages: values
          .slice(start, start + 20)
          .map((value, index) => ({ topic: 'idempotent', partition: index % 2, value })),
      });
    }
  });
  const stored = await storedTopic(broker, 'idempotent', values.length);
  assert.equal(new Set(stored.flat().map(({ producerId }) => producerId)).size, 1);
  for (const [partition, batches] of stored.entries()) {
    assert.deepEqual(
      valuesOf(batches),
      values.filter((_, index) => index % 2 === partition),
    );
    assert.deepEqual(
      batches.map(({ baseSequence }) => baseSequence),
      [0, 10, 20, 30, 40],
    );
  }
});

test('keys, headers, timestamps and tombstones pass through @platformatic/kafka', bounded, async () => {
  await createTopic('whole');
  const headers = { origin: 'orchard', grüße: 'aus Köln' };
  await withProducer({}, (producer) =>
    producer.send({
      messages: [
        { topic: 'whole', key: 'apple', value: 'red', headers, timestamp: 1_700_000_000_000n },
        { topic: 'whole', key: 'apple', timestamp: 1_700_000_000_001n },
      ],
    }),
  );
  const [batches] = await storedTopic(broker, 'whole', 2);
  assert.deepEqual(
    recordsOf(batches!).map(({ value }) => value?.toString() ?? null),
    ['red', null],
  );
  const [read] = await readAll('whole', 1);
  assert.deepEqual(read, [
    {
      offset: 0n,
      timestamp: 1_700_000_000_000n,
      key: 'apple',
      value: 'red',
      headers: Object.entries(headers),
      codec: 'none',
    },
    { offset: 1n, timestamp: 1_700_000_000_001n, key: 'apple', value: undefined, headers: [], codec: 'none' },
  ]);
});

test('@platformatic/kafka asks for offsets by name and by time', bounded, async () => {
  await createTopic('offsets');
  await withProducer({}, async (producer) => {
    for (const timestamp of [1_700_000_000_000n, 1_700_000_002_000n, 1_700_000_001_000n]) {
      await producer.send({ messages: [{ topic: 'offsets', value: `${timestamp}`, timestamp }] });
    }
  });
  await withAdmin(async (admin) => {
    const at = async (timestamp: bigint) => {
      const partitions = [{ partitionIndex: 0, timestamp }];
      const [topic] = await admin.listOffsets({ topics: [{ name: 'offsets', partitions }] });
      const { offset, timestamp: found } = topic!.partitions[0]!;
      return [offset, found];
    };
    assert.deepEqual(await at(-2n), [0n, -1n], 'earliest');
    assert.deepEqual(await at(-1n), [3n, -1n], 'latest');
    assert.deepEqual(await at(-3n), [1n, 1_700_000_002_000n], 'the largest timestamp');
    assert.deepEqual(await at(1_700_000_000_001n), [1n, 1_700_000_002_000n]);
    assert.deepEqual(await at(1_700_000_002_001n), [-1n, -1n], 'no such record');
  });
});

test('@platformatic/kafka writes to and reads from 1,000 partitions', bounded, async () => {
  await createTopic('wide', 1000);
  const messages = Array.from({ length: 2000 }, (_, number) => ({
    topic: 'wide',
    partition: number % 1000,
    value: `value ${number}`,
  }));
  const { offsets } = await withProducer({}, (producer) => producer.send({ messages }));
  assert.equal(offsets?.length, 1000);
  for (const [partition, records] of (await readAll('wide', 1000)).entries()) {
    assert.deepEqual(
      records.map(({ offset, value }) => [offset, value]),
      [0n, 1n].map((offset) => [offset, `value ${partition + 1000 * Number(offset)}`]),
    );
  }
});

test('@platformatic/kafka creates a topic by writing to it, where it is told to', bounded, async () => {
  const send = (producer: TextProducer) =>
    producer.send({ messages: [{ topic: 'made-by-writing', value: 'hello' }] });
  await assert.rejects(withProducer({ autocreateTopics: false }, send));
  await withProducer({ autocreateTopics: true }, send);
  assert.deepEqual((await storedTopic(broker, 'made-by-writing', 1)).flatMap(valuesOf), ['hello']);
});
