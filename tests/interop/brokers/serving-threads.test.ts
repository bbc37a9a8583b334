import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@weir/core';
import { type Consumer, Kafka, logLevel } from 'kafkajs';
import { recordsOf, storedTopic } from './stored.ts';
import { createTopic, numberedValues } from './topics.ts';
import { lastFirst, startLocal, startPlayground, temporaryFolder } from './weir-process.ts';

/**
 * A subset with four serving threads: `SERVICE_SERVING_THREADS=4 npm run test:interop` runs all suites with them. Every
 * client has connections of its own, which the system spreads over the threads.
 */
const threads = { SERVICE_SERVING_THREADS: '4' };
const bounded = { timeout: 180_000 };

const clientOf = (broker: string) =>
  new Kafka({
    clientId: 'judge',
    brokers: [broker],
    logLevel: logLevel.NOTHING,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 50, retries: 5 },
  });

async function send(broker: string, topic: string, values: readonly string[]): Promise<void> {
  const producer = clientOf(broker).producer({ idempotent: true });
  await producer.connect();
  await producer.send({ topic, messages: values.map((value) => ({ value })) });
  await producer.disconnect();
}

async function valuesIn(broker: string, topic: string, recordsMin: number): Promise<string[]> {
  const partitions = await storedTopic(broker, topic, recordsMin);
  return partitions.flatMap((batches) => recordsOf(batches).map(({ value }) => String(value)));
}

async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise<void>((resolve) => systemClock.after(20, resolve));
}

test('many producers and the members of a group, on all threads', bounded, async (t: TestContext) => {
  const broker = (await startLocal(t, [], threads)).address('Kafka');
  await createTopic(broker, 'shared', 6);
  const values = Array.from({ length: 8 }, (_, index) =>
    numberedValues(200).map((value) => `${index} ${value}`),
  );
  const read: string[] = [];
  const consumers: Consumer[] = [];
  for (let member = 0; member < 3; member++) {
    const consumer = clientOf(broker).consumer({ groupId: 'members', rebalanceTimeout: 5_000 });
    await consumer.connect();
    await consumer.subscribe({ topic: 'shared', fromBeginning: true });
    await consumer.run({ eachMessage: async ({ message }) => void read.push(String(message.value)) });
    consumers.push(consumer);
  }
  await Promise.all(values.map((some) => send(broker, 'shared', some)));
  const all = values.flat().toSorted();
  await until(() => new Set(read).size === all.length);
  assert.deepEqual([...new Set(read)].toSorted(), all);
  await Promise.all(consumers.map((consumer) => consumer.disconnect()));
});

test('a transaction is visible when it is committed, and not when it is aborted', bounded, async (t) => {
  const broker = (await startLocal(t, [], threads)).address('Kafka');
  await createTopic(broker, 'ends', 2);
  const producer = clientOf(broker).producer({
    transactionalId: 'tx',
    idempotent: true,
    maxInFlightRequests: 1,
  });
  await producer.connect();
  for (const [value, end] of [
    ['aborted', 'abort'],
    ['committed', 'commit'],
  ] as const) {
    const transaction = await producer.transaction();
    await transaction.send({ topic: 'ends', messages: [{ value, partition: 0 }] });
    await transaction.sendOffsets({
      consumerGroupId: 'readers',
      topics: [{ topic: 'ends', partitions: [{ partition: 1, offset: value === 'committed' ? '5' : '9' }] }],
    });
    await transaction[end]();
  }
  await producer.disconnect();
  const read: string[] = [];
  const consumer = clientOf(broker).consumer({ groupId: 'committed', readUncommitted: false });
  await consumer.connect();
  await consumer.subscribe({ topic: 'ends', fromBeginning: true });
  await consumer.run({ eachMessage: async ({ message }) => void read.push(String(message.value)) });
  await until(() => read.length > 0);
  await consumer.disconnect();
  assert.deepEqual(read, ['committed']);
  const admin = clientOf(broker).admin();
  await admin.connect();
  const [offsets] = await admin.fetchOffsets({ groupId: 'readers', topics: ['ends'] });
  await admin.disconnect();
  assert.equal(offsets!.partitions.find(({ partition }) => partition === 1)!.offset, '5');
});

test('what was acknowledged while it stopped is there afterwards', bounded, async (t) => {
  const lifetime = lastFirst(t);
  const dataDir = join(temporaryFolder(lifetime), 'data');
  const playground = await startPlayground(lifetime, dataDir, threads);
  const broker = playground.address('Kafka');
  await createTopic(broker, 'stopped', 2);
  const acknowledged: string[] = [];
  let isStopping = false;
  const writers = Array.from({ length: 6 }, async (_, index) => {
    const producer = clientOf(broker).producer({ retry: { retries: 0 } });
    await producer.connect();
    try {
      for (let count = 0; ; count++) {
        const value = `${index} ${count}`;
        await producer.send({ topic: 'stopped', messages: [{ value }] });
        acknowledged.push(value);
      }
    } catch (error) {
      if (!isStopping) throw error;
    } finally {
      await producer.disconnect();
    }
  });
  await until(() => acknowledged.length > 100);
  isStopping = true;
  await playground.stop();
  await Promise.all(writers);
  const again = await startPlayground(lifetime, dataDir, threads);
  const stored = new Set(await valuesIn(again.address('Kafka'), 'stopped', acknowledged.length));
  assert.deepEqual(
    acknowledged.filter((value) => !stored.has(value)),
    [],
  );
});
