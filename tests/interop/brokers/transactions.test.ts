import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '@weir/core';
import { Kafka, logLevel } from 'kafkajs';
import { missingTool } from '../apache/tools.ts';
import { type JavaRecord, openJavaClient } from './java-client.ts';
import { recordsOf, storedTopic } from './stored.ts';
import { createTopic } from './topics.ts';
import { lastFirst, startCluster, startLocal } from './weir-process.ts';

/**
 * Transactions of clients of two generations: kafkajs 2.2.4 adds partitions explicitly and keeps its epoch; Apache's
 * 4.3.1 sees `transaction.version` 2 and uses a new epoch for every transaction.
 */
const skip = missingTool();
const broker = (await startLocal({ after })).address('Kafka');
const java = skip ? undefined! : openJavaClient({ after });
const withJava = { skip, timeout: 180_000 };
const withNode = { timeout: 180_000 };

const ask = <Answer>(command: string, ...args: readonly (string | number)[]) =>
  java.ask<Answer>(command, broker, ...args);

const pause = () => new Promise<void>((resolve) => systemClock.after(100, resolve));

const javaValues = async (command: 'read' | 'read-committed', topic: string) =>
  (await ask<readonly JavaRecord[]>(command, topic)).map(([, , , , value]) => value);

/**
 * Returns the kind of each batch (records or transaction marker) with its epoch. Adjacent batches of records count as
 * one, because clients may split records in different ways.
 */
async function storedBatches(topic: string, partition = 0): Promise<readonly string[]> {
  const batches = (await storedTopic(broker, topic))[partition]!;
  const firstEpoch = batches[0]!.producerEpoch;
  const kinds = batches.map(({ isControl, isTransactional, producerEpoch }) => {
    assert.ok(isTransactional);
    return `${isControl ? 'end' : 'records'} +${producerEpoch - firstEpoch}`;
  });
  return kinds.filter((one, index) => one !== kinds[index - 1] || one.startsWith('end'));
}

test("Apache's producer commits and aborts", withJava, async () => {
  await createTopic(broker, 'java-ends', 2);
  await ask('tx-open', 'p', 'java-ends');
  await ask('tx-begin', 'p');
  assert.deepEqual(await ask('tx-send', 'p', 'java-ends', 0, 'a', 'b'), ['0', '1']);
  assert.deepEqual(await ask('tx-send', 'p', 'java-ends', 1, 'c'), ['0']);
  assert.deepEqual(await javaValues('read-committed', 'java-ends'), []);
  assert.deepEqual((await javaValues('read', 'java-ends')).toSorted(), ['a', 'b', 'c']);
  await ask('tx-commit', 'p');
  await ask('tx-begin', 'p');
  await ask('tx-send', 'p', 'java-ends', 0, 'aborted');
  await ask('tx-abort', 'p');
  await ask('tx-begin', 'p');
  await ask('tx-send', 'p', 'java-ends', 0, 'd');
  await ask('tx-commit', 'p');
  assert.deepEqual((await javaValues('read-committed', 'java-ends')).toSorted(), ['a', 'b', 'c', 'd']);
  assert.deepEqual((await javaValues('read', 'java-ends')).toSorted(), ['a', 'aborted', 'b', 'c', 'd']);
  assert.deepEqual(
    await storedBatches('java-ends'),
    ['records +0', 'end +1', 'records +1', 'end +2', 'records +2', 'end +3'],
    'every transaction has an epoch of its own',
  );
});

test("Apache's second producer of a transactional id fences the first", withJava, async () => {
  await createTopic(broker, 'java-fenced', 1);
  await ask('tx-open', 'zombie', 'java-fenced');
  await ask('tx-begin', 'zombie');
  await ask('tx-send', 'zombie', 'java-fenced', 0, 'lost');
  await ask('tx-open', 'successor', 'java-fenced');
  await assert.rejects(ask('tx-commit', 'zombie'), /ProducerFencedException|InvalidProducerEpochException/);
  await ask('tx-begin', 'successor');
  await ask('tx-send', 'successor', 'java-fenced', 0, 'kept');
  await assert.rejects(ask('tx-send', 'zombie', 'java-fenced', 0, 'late'));
  await ask('tx-commit', 'successor');
  assert.deepEqual(await javaValues('read-committed', 'java-fenced'), ['kept']);
});

test("Apache's producer is fenced when its transaction was open for too long", withJava, async () => {
  await createTopic(broker, 'java-slow', 1);
  await ask('tx-open', 'slow', 'java-slow', 'transaction.timeout.ms=100');
  await ask('tx-begin', 'slow');
  await ask('tx-send', 'slow', 'java-slow', 0, 'lost');
  // Only the transaction marker makes the partition grow.
  while ((await storedTopic(broker, 'java-slow'))[0]!.length < 2) await pause();
  await assert.rejects(ask('tx-commit', 'slow'));
  assert.deepEqual(await javaValues('read-committed', 'java-slow'), []);
});

test("Apache's producer commits offsets of a group with its records", withJava, async () => {
  await createTopic(broker, 'java-offsets', 1);
  await ask('tx-open', 'o', 'java-offsets');
  for (const [end, offset, expected] of [
    ['tx-commit', 5, { 'java-offsets-0': '5' }],
    ['tx-abort', 9, { 'java-offsets-0': '5' }],
    ['tx-commit', 11, { 'java-offsets-0': '11' }],
  ] as const) {
    await ask('tx-begin', 'o');
    await ask('tx-send', 'o', 'java-offsets', 0, `${offset}`);
    await ask('tx-offset', 'o', 'java-offsets-group', 'java-offsets', 0, offset);
    await ask(end, 'o');
    assert.deepEqual(await ask('group-offsets', 'java-offsets-group'), expected);
  }
  assert.deepEqual(await javaValues('read-committed', 'java-offsets'), ['5', '11']);
});

test('Apache copies a topic in transactions, record for record', withJava, async () => {
  for (const topic of ['copy-from', 'copy-to']) await createTopic(broker, topic, 3);
  await ask('produce', 'copy-from', 3, 5000, 1_700_000_000_000);
  const { copied } = await ask<{ readonly copied: number }>('tx-copy', 'copy-from', 'copy-to', 700, 'copier');
  assert.equal(copied, 5000);
  const inPartition = (records: readonly JavaRecord[]) =>
    records.toSorted(([a], [b]) => a - b).map(([partition, , , key, value]) => [partition, key, value]);
  assert.deepEqual(
    inPartition(await ask('read-committed', 'copy-to')),
    inPartition(await ask('read', 'copy-from')),
  );
  assert.deepEqual(await ask('group-offsets', 'copy-to-copy-to'), {
    'copy-from-0': '1667',
    'copy-from-1': '1667',
    'copy-from-2': '1666',
  });
});

const kafka = new Kafka({ clientId: 'judge', brokers: [broker], logLevel: logLevel.NOTHING });

/** Returns what a member of a new group reads, up to the value that is known to be last. */
async function kafkajsValues(
  topic: string,
  last: string,
  readUncommitted: boolean,
): Promise<readonly string[]> {
  const consumer = kafka.consumer({ groupId: `${topic}-${readUncommitted}`, readUncommitted });
  const values: string[] = [];
  const seen = Promise.withResolvers<void>();
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ message }) => {
        values.push(String(message.value));
        if (values.at(-1) === last) seen.resolve();
      },
    });
    await seen.promise;
    return values;
  } finally {
    await consumer.disconnect();
  }
}

test('kafkajs commits and aborts, and reads what is committed', withNode, async () => {
  await createTopic(broker, 'node-ends', 1);
  const producer = kafka.producer({ transactionalId: 'node-ends', idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  try {
    for (const [end, value] of [
      ['commit', 'a'],
      ['abort', 'aborted'],
      ['commit', 'b'],
      ['abort', 'aborted too'],
      ['commit', 'last'],
    ] as const) {
      const transaction = await producer.transaction();
      await transaction.send({ topic: 'node-ends', messages: [{ value }] });
      await transaction[end]();
    }
  } finally {
    await producer.disconnect();
  }
  assert.deepEqual(await storedBatches('node-ends'), Array(5).fill(['records +0', 'end +0']).flat());
  assert.deepEqual(await kafkajsValues('node-ends', 'last', false), ['a', 'b', 'last']);
  assert.deepEqual(await kafkajsValues('node-ends', 'last', true), [
    'a',
    'aborted',
    'b',
    'aborted too',
    'last',
  ]);
});

test('kafkajs sends offsets with a transaction', withNode, async () => {
  await createTopic(broker, 'node-offsets', 1);
  const producer = kafka.producer({
    transactionalId: 'node-offsets',
    idempotent: true,
    maxInFlightRequests: 1,
  });
  const admin = kafka.admin();
  await Promise.all([producer.connect(), admin.connect()]);
  try {
    for (const [end, offset, expected] of [
      ['commit', '3', '3'],
      ['abort', '8', '3'],
    ] as const) {
      const transaction = await producer.transaction();
      await transaction.send({ topic: 'node-offsets', messages: [{ value: offset }] });
      await transaction.sendOffsets({
        consumerGroupId: 'node-offsets-group',
        topics: [{ topic: 'node-offsets', partitions: [{ partition: 0, offset }] }],
      });
      await transaction[end]();
      const [found] = await admin.fetchOffsets({ groupId: 'node-offsets-group', topics: ['node-offsets'] });
      assert.deepEqual(
        found!.partitions.map((one) => one.offset),
        [expected],
      );
    }
  } finally {
    await Promise.all([producer.disconnect(), admin.disconnect()]);
  }
});

test('kafkajs is fenced by another one with its transactional id', withNode, async () => {
  await createTopic(broker, 'node-fenced', 1);
  const open = async () => {
    const producer = kafka.producer({
      transactionalId: 'node-fenced',
      idempotent: true,
      maxInFlightRequests: 1,
    });
    await producer.connect();
    return producer;
  };
  const zombie = await open();
  const late = await zombie.transaction();
  await late.send({ topic: 'node-fenced', messages: [{ value: 'lost' }] });
  const successor = await open();
  try {
    const transaction = await successor.transaction();
    await transaction.send({ topic: 'node-fenced', messages: [{ value: 'last' }] });
    await assert.rejects(late.send({ topic: 'node-fenced', messages: [{ value: 'late' }] }), {
      type: 'INVALID_PRODUCER_EPOCH',
    });
    await assert.rejects(late.commit(), { type: 'INVALID_PRODUCER_EPOCH' });
    await transaction.commit();
    assert.deepEqual(await kafkajsValues('node-fenced', 'last', false), ['last']);
  } finally {
    await Promise.all([zombie.disconnect(), successor.disconnect()]);
  }
});

test('what one client writes in transactions the other reads', withJava, async () => {
  await createTopic(broker, 'mixed', 1);
  await ask('tx-open', 'm', 'mixed-java');
  const producer = kafka.producer({
    transactionalId: 'mixed-node',
    idempotent: true,
    maxInFlightRequests: 1,
  });
  await producer.connect();
  try {
    await ask('tx-begin', 'm');
    await ask('tx-send', 'm', 'mixed', 0, 'j1');
    const committed = await producer.transaction();
    await committed.send({ topic: 'mixed', messages: [{ value: 'n1' }] });
    await committed.commit();
    await ask('tx-send', 'm', 'mixed', 0, 'j2');
    const aborted = await producer.transaction();
    await aborted.send({ topic: 'mixed', messages: [{ value: 'n2' }] });
    assert.deepEqual(await javaValues('read-committed', 'mixed'), []);
    await ask('tx-abort', 'm');
    assert.deepEqual(await javaValues('read-committed', 'mixed'), ['n1']);
    await aborted.abort();
    await ask('tx-begin', 'm');
    await ask('tx-send', 'm', 'mixed', 0, 'last');
    await ask('tx-commit', 'm');
  } finally {
    await producer.disconnect();
  }
  assert.deepEqual(await javaValues('read-committed', 'mixed'), ['n1', 'last']);
  assert.deepEqual(await kafkajsValues('mixed', 'last', false), ['n1', 'last']);
});

test(
  'transactions of one agent, read at another, with the control plane in a process of its own',
  withJava,
  async (t) => {
    const { agents } = await startCluster(lastFirst(t), {
      agents: [{ zone: 'zone-a' }, { zone: 'zone-a' }],
      controlPlanes: 1,
    });
    const [writer, reader] = agents.map((agent) => agent.address('Kafka')) as [string, string];
    await createTopic(writer, 'apart', 1);
    await java.ask('tx-open', writer, 'apart', 'apart');
    for (const [end, value] of [
      ['tx-commit', 'a'],
      ['tx-abort', 'aborted'],
      ['tx-commit', 'b'],
    ] as const) {
      await java.ask('tx-begin', writer, 'apart');
      await java.ask('tx-send', writer, 'apart', 'apart', 0, value);
      await java.ask('tx-offset', writer, 'apart', 'apart-group', 'apart', 0, 1);
      await java.ask(end, writer, 'apart');
    }
    const records = await java.ask<readonly JavaRecord[]>('read-committed', reader, 'apart');
    assert.deepEqual(
      records.map(([, offset, , , value]) => `${value} at ${offset}`),
      ['a at 0', 'b at 4'],
    );
  },
);

test('kafkajs commits every transaction with three agents, also on new connections', withNode, async (t) => {
  const { agents } = await startCluster(lastFirst(t), {
    agents: [{ zone: 'zone-a' }, { zone: 'zone-a' }, { zone: 'zone-a' }],
    controlPlanes: 1,
  });
  const brokers = agents.map((agent) => agent.address('Kafka'));
  await createTopic(brokers[0]!, 'spread', 6);
  const sent: string[] = [];
  for (let round = 0; round < 3; round++) {
    // A new client has other connections, and begins with another agent.
    const kafka = new Kafka({ brokers: [brokers[round]!], logLevel: logLevel.NOTHING });
    const producer = kafka.producer({
      transactionalId: 'spread',
      maxInFlightRequests: 1,
      idempotent: true,
    });
    await producer.connect();
    try {
      for (let number = 0; number < 10; number++) {
        const value = `${round} ${number}`;
        const transaction = await producer.transaction();
        await transaction.send({ topic: 'spread', messages: [{ partition: number % 6, value }] });
        const offsets = [{ partition: 0, offset: `${number}` }];
        await transaction.sendOffsets({
          consumerGroupId: 'spread-group',
          topics: [{ topic: 'spread', partitions: offsets }],
        });
        await transaction.commit();
        sent.push(value);
      }
    } finally {
      await producer.disconnect();
    }
  }
  assert.equal(sent.length, 30);
  // Each transaction has one record and one marker.
  const stored = (await storedTopic(brokers[0]!, 'spread', 60)).flat();
  const records = stored.filter(({ isControl }) => !isControl).flatMap((batch) => recordsOf([batch]));
  assert.deepEqual(records.map(({ value }) => String(value)).sort(), sent.toSorted());
});
