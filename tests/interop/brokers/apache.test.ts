import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { codecIds } from '@weir/wire';
import { missingTool } from '../apache/tools.ts';
import { type JavaRecord, openJavaClient } from './java-client.ts';
import { storedTopic, valuesOf } from './stored.ts';
import { startLocal } from './weir-process.ts';

/** Apache's own clients, 4.3.1, with their defaults: an idempotent producer, and a consumer with manual assignment. */
const skip = missingTool();
const broker = skip ? '' : (await startLocal({ after })).address('Kafka');
const java = skip ? undefined! : openJavaClient({ after });
const bounded = { skip, timeout: 180_000 };

const firstTimestamp = 1_700_000_000_000;

const ask = <Answer>(command: string, ...args: readonly (string | number)[]) =>
  java.ask<Answer>(command, broker, ...args);

const createTopic = (topic: string, partitions: number) => ask('create-topic', topic, partitions);

/** Produces records and returns where the broker acknowledged each. */
const produce = (topic: string, partitions: number, count: number, ...settings: readonly string[]) =>
  ask<readonly (readonly [number, string])[]>(
    'produce',
    topic,
    partitions,
    count,
    firstTimestamp,
    ...settings,
  );

/** Returns the records that `produce` writes, as a reader of all partitions should find them. */
function expectedRecords(partitions: number, count: number): readonly JavaRecord[] {
  return Array.from({ length: count }, (_, n): JavaRecord => {
    const offset = `${Math.floor(n / partitions)}`;
    const value = `value ${n} ${'weir '.repeat(20)}`;
    return [n % partitions, offset, `${firstTimestamp + n}`, `key ${n}`, value, [`header=of ${n}`]];
  }).sort(byPlace);
}

function byPlace([partitionA, offsetA]: JavaRecord, [partitionB, offsetB]: JavaRecord): number {
  return partitionA - partitionB || Number(offsetA) - Number(offsetB);
}

/** Sorts by partition only, so that the order within a partition is the order of arrival. */
const inPartitions = (records: readonly JavaRecord[]) => records.toSorted(([a], [b]) => a - b);

for (const codec of Object.keys(codecIds) as (keyof typeof codecIds)[]) {
  test(`Apache's clients write and read ${codec}`, bounded, async () => {
    const topic = `codec-${codec}`;
    await createTopic(topic, 3);
    const places = await produce(topic, 3, 900, `compression.type=${codec}`);
    assert.deepEqual(
      places,
      Array.from({ length: 900 }, (_, n) => [n % 3, `${Math.floor(n / 3)}`]),
    );
    const read = await ask<readonly JavaRecord[]>('read', topic);
    assert.deepEqual(inPartitions(read), expectedRecords(3, 900));
    const batches = (await storedTopic(broker, topic, 900)).flat();
    assert.deepEqual([...new Set(batches.map((batch) => batch.codec))], [codec]);
    assert.equal(new Set(batches.map(({ producerId }) => producerId)).size, 1);
    assert.ok(batches.every(({ producerId }) => producerId >= 0n));
  });
}

for (const acks of ['0', '1']) {
  test(`Apache's producer writes with acks ${acks}`, bounded, async () => {
    const topic = `acks-${acks}`;
    await createTopic(topic, 1);
    await produce(topic, 1, 500, `acks=${acks}`, 'enable.idempotence=false');
    const stored = await storedTopic(broker, topic, 500);
    assert.deepEqual(
      stored.flatMap(valuesOf),
      expectedRecords(1, 500).map(([, , , , value]) => value),
    );
  });
}

test("Apache's producer keeps small batches in order, five of them on the way", bounded, async () => {
  await createTopic('small-batches', 1);
  await produce('small-batches', 1, 2000, 'batch.size=300', 'max.in.flight.requests.per.connection=5');
  const [batches] = await storedTopic(broker, 'small-batches', 2000);
  assert.ok(batches!.length > 500, 'there are many batches');
  assert.deepEqual(await ask('read', 'small-batches'), expectedRecords(1, 2000));
});

test("Apache's clients write to and read from 1,000 partitions", bounded, async () => {
  await createTopic('wide', 1000);
  await produce('wide', 1000, 3000);
  const read = await ask<readonly JavaRecord[]>('read', 'wide');
  assert.deepEqual(inPartitions(read), expectedRecords(1000, 3000));
});

test("Apache's consumer seeks by offset and by time", bounded, async () => {
  await createTopic('positions', 2);
  await produce('positions', 2, 400, 'batch.size=1000');
  const all = expectedRecords(2, 400);
  const fromOffset = await ask<readonly JavaRecord[]>('read-from-offset', 'positions', 123);
  assert.deepEqual(
    inPartitions(fromOffset),
    all.filter(([, offset]) => Number(offset) >= 123),
  );
  for (const time of [firstTimestamp - 1, firstTimestamp + 251, firstTimestamp + 399, firstTimestamp + 400]) {
    const fromTime = await ask<readonly JavaRecord[]>('read-from-time', 'positions', time);
    assert.deepEqual(
      inPartitions(fromTime),
      all.filter(([, , timestamp]) => Number(timestamp) >= time),
    );
  }
});

test("Apache's admin client lists offsets", bounded, async () => {
  await createTopic('offsets', 2);
  await produce('offsets', 1, 50);
  const at = (partition: number, position: string | number) =>
    ask('list-offset', 'offsets', partition, position);
  assert.deepEqual(await at(0, 'earliest'), { offset: '0', timestamp: '-1' });
  assert.deepEqual(await at(0, 'latest'), { offset: '50', timestamp: '-1' });
  assert.deepEqual(await at(0, 'max-timestamp'), { offset: '49', timestamp: `${firstTimestamp + 49}` });
  assert.deepEqual(await at(0, firstTimestamp + 7), { offset: '7', timestamp: `${firstTimestamp + 7}` });
  assert.deepEqual(await at(0, firstTimestamp + 50), { offset: '-1', timestamp: '-1' });
  assert.deepEqual(await at(1, 'earliest'), { offset: '0', timestamp: '-1' });
  assert.deepEqual(await at(1, 'latest'), { offset: '0', timestamp: '-1' });
  assert.deepEqual(await at(1, 'max-timestamp'), { offset: '-1', timestamp: '-1' });
});

test("Apache's admin client creates, widens and deletes topics", bounded, async () => {
  const { partitions } = await ask<{ readonly partitions: number }>('create-topic', 'orders', 3);
  assert.equal(partitions, 3);
  await assert.rejects(ask('create-topic', 'orders', 3), /TopicExistsException/);
  await ask('create-partitions', 'orders', 20);
  await assert.rejects(ask('create-partitions', 'orders', 2), /InvalidPartitionsException/);
  assert.equal((await storedTopic(broker, 'orders')).length, 20);
  assert.ok((await ask<readonly string[]>('list-topics')).includes('orders'));
  await ask('delete-topic', 'orders');
  assert.ok(!(await ask<readonly string[]>('list-topics')).includes('orders'));
  await assert.rejects(ask('delete-topic', 'orders'), /UnknownTopicOrPartitionException/);
});

test("Apache's admin client describes topics, page after page", bounded, async () => {
  // The client requests 2,000 partitions at a time.
  const { topicId } = await ask<{ readonly topicId: string }>('create-topic', 'described', 2500);
  assert.deepEqual(await ask('describe-topic', 'described'), {
    topicId,
    internal: false,
    partitions: Array.from({ length: 2500 }, (_, partition) => [partition, broker]),
  });
  await assert.rejects(ask('describe-topic', 'not-there'), /UnknownTopicOrPartitionException/);
});

test("Apache's admin client describes the cluster", bounded, async () => {
  const { clusterId, controller, nodes } = await ask<{
    readonly clusterId: string;
    readonly controller: string;
    readonly nodes: readonly string[];
  }>('describe-cluster');
  assert.match(clusterId, /^vci_/);
  assert.deepEqual([controller, nodes], [broker, [broker]]);
});

test("Apache's producer creates a topic by writing to it", bounded, async () => {
  await produce('made-by-writing', 1, 10);
  assert.deepEqual(await ask('read', 'made-by-writing'), expectedRecords(1, 10));
});
