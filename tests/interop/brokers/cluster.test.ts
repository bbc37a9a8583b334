import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '@weir/core';
import { apis, buildRecordBatch } from '@weir/wire';
import { Kafka, logLevel } from 'kafkajs';
import { connect, recordsOf, storedTopic, valuesOf } from './stored.ts';
import { createTopic, numberedValues } from './topics.ts';
import { startCluster, type WeirProcess } from './weir-process.ts';

/** Three agents in two zones over one bucket, and one control plane, each in a separate process. */
const cluster = await startCluster(
  { after },
  { agents: [{ zone: 'zone-a' }, { zone: 'zone-a' }, { zone: 'zone-b' }], controlPlanes: 1 },
);
const [first, second, third] = cluster.agents.map((agent) => agent.address('Kafka')) as [
  string,
  string,
  string,
];
const everyAgent = [first, second, third];
const bounded = { timeout: 180_000 };
const timeoutMs = 60_000;

/** Returns the agents in the Metadata that one of them returns to kafkajs. */
async function shownBy(broker: string, clientId: string): Promise<readonly string[]> {
  const kafka = new Kafka({ clientId, brokers: [broker], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const { brokers } = await admin.describeCluster();
    return brokers.map(({ host, port }) => `${host}:${port}`).sort();
  } finally {
    await admin.disconnect();
  }
}

interface Producer {
  readonly producerId: bigint;
  readonly producerEpoch: number;
  readonly baseSequence: number;
}

/**
 * Writes one batch to exactly this agent, whichever is the partition leader in Metadata, and returns its base offset.
 */
async function produceTo(
  broker: string,
  topic: string,
  values: readonly string[],
  producer?: Producer,
): Promise<bigint> {
  const timestamp = BigInt(systemClock.nowMs());
  const records = buildRecordBatch(
    values.map((value) => ({ timestamp, key: null, value: Buffer.from(value) })),
    { ...producer },
  );
  const connection = await connect(broker);
  try {
    const { responses } = await connection.request(
      apis.Produce,
      {
        acks: -1,
        timeoutMs,
        topicData: [{ name: topic, partitionData: [{ index: 0, records }] }],
      },
      { timeoutMs, highestUseful: 12 },
    );
    const { errorCode, baseOffset } = responses[0]!.partitionResponses[0]!;
    assert.equal(errorCode, 0);
    return baseOffset;
  } finally {
    connection.close();
  }
}

before(async () => {
  // An agent learns of later agents with a short delay.
  for (const agent of everyAgent) {
    while ((await shownBy(agent, 'judge')).length < everyAgent.length);
  }
});

test('every agent shows all agents, under one cluster id', bounded, async () => {
  for (const agent of everyAgent) {
    assert.deepEqual(await shownBy(agent, 'judge'), everyAgent.toSorted());
  }
});

test('a client that names its zone is shown the agents of that zone', bounded, async () => {
  for (const agent of everyAgent) {
    assert.deepEqual(await shownBy(agent, 'judge,ws_az=zone-a'), [first, second].sort());
    assert.deepEqual(await shownBy(agent, 'judge,ws_az=zone-b'), [third]);
    assert.deepEqual(await shownBy(agent, 'ws_az=zone-c'), everyAgent.toSorted(), 'nobody is in zone-c');
  }
});

test('what is written through any agent is read through any', bounded, async () => {
  await createTopic(first, 'shared', 1);
  const values = numberedValues(60);
  for (let start = 0; start < values.length; start += 10) {
    const agent = everyAgent[(start / 10) % everyAgent.length]!;
    // An agent learns of a topic created at another agent with a short delay; it knows the topic once it can be read.
    await storedTopicOnce(agent, 'shared');
    assert.equal(await produceTo(agent, 'shared', values.slice(start, start + 10)), BigInt(start));
  }
  for (const agent of everyAgent) {
    const [batches] = await storedTopic(agent, 'shared', values.length);
    assert.deepEqual(
      recordsOf(batches!).map(({ offset, value }) => [offset, String(value)]),
      values.map((value, offset) => [BigInt(offset), value]),
    );
  }
});

/** Waits until an agent knows a topic. */
async function storedTopicOnce(broker: string, topic: string): Promise<void> {
  while (true) {
    try {
      await storedTopic(broker, topic);
      return;
    } catch (error) {
      if (!String(error).includes('UNKNOWN_TOPIC_OR_PARTITION')) throw error;
    }
  }
}

test('a batch that is sent again through another agent is stored once', bounded, async () => {
  await createTopic(first, 'once', 1);
  for (const agent of everyAgent) await storedTopicOnce(agent, 'once');
  const connection = await connect(first);
  const { producerId, producerEpoch } = await connection.request(
    apis.InitProducerId,
    { transactionalId: null, transactionTimeoutMs: 0 },
    { timeoutMs },
  );
  connection.close();
  const batch = (baseSequence: number) => ({ producerId, producerEpoch, baseSequence });
  const one = numberedValues(5, 'one');
  const two = numberedValues(5, 'two');
  assert.equal(await produceTo(first, 'once', one, batch(0)), 0n);
  assert.equal(await produceTo(second, 'once', one, batch(0)), 0n);
  assert.equal(await produceTo(third, 'once', two, batch(5)), 5n);
  assert.equal(await produceTo(first, 'once', one, batch(0)), 0n);
  assert.equal(await produceTo(second, 'once', two, batch(5)), 5n);
  for (const agent of everyAgent) {
    const [batches] = await storedTopic(agent, 'once', 10);
    assert.deepEqual(valuesOf(batches!), [...one, ...two]);
  }
});

test('kafkajs spreads its partitions over the agents and writes them all', bounded, async () => {
  const kafka = new Kafka({ clientId: 'judge', brokers: [second], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  const producer = kafka.producer();
  await admin.connect();
  await producer.connect();
  try {
    await admin.createTopics({ topics: [{ topic: 'spread', numPartitions: 30 }] });
    const { topics } = await admin.fetchTopicMetadata({ topics: ['spread'] });
    const leaders = new Set(topics[0]!.partitions.map(({ leader }) => leader));
    assert.equal(leaders.size, everyAgent.length, 'every agent leads something');
    const messages = numberedValues(300).map((value, index) => ({ value, partition: index % 30 }));
    await producer.send({ topic: 'spread', messages });
    for (const agent of everyAgent) {
      const stored = await storedTopic(agent, 'spread', messages.length);
      for (const [partition, batches] of stored.entries()) {
        assert.deepEqual(
          valuesOf(batches),
          messages.filter((message) => message.partition === partition).map(({ value }) => value),
        );
      }
    }
  } finally {
    await producer.disconnect();
    await admin.disconnect();
  }
});

test('an agent of another group is shown to its own clients only', bounded, async () => {
  const other: WeirProcess = await cluster.addAgent({ zone: 'zone-a', group: 'other' });
  const address = other.address('Kafka');
  assert.deepEqual(await shownBy(address, 'judge'), [address]);
  assert.deepEqual(await shownBy(first, 'judge'), everyAgent.toSorted());
  await storedTopicOnce(address, 'shared');
  assert.equal((await storedTopic(address, 'shared', 60)).flatMap(recordsOf).length, 60);
  await other.stop();
});

test('an agent that is stopped is shown no longer', bounded, async () => {
  const leaving = await cluster.addAgent({ zone: 'zone-b' });
  const address = leaving.address('Kafka');
  while (!(await shownBy(first, 'judge')).includes(address));
  await leaving.stop();
  while ((await shownBy(first, 'judge')).includes(address));
  assert.deepEqual(await shownBy(first, 'judge'), everyAgent.toSorted());
});
