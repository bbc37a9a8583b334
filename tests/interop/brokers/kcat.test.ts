import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { kcat, kcatMetadata, kcatRead, missingKcat } from './kcat.ts';
import { recordsOf, storedTopic, valuesOf } from './stored.ts';
import { createTopic, numberedValues } from './topics.ts';
import { startLocal } from './weir-process.ts';

/**
 * kcat 1.7.1 as packaged by Debian, over librdkafka 2.0.2: a C client of 2022. Its consumer needs no group if it gets a
 * topic.
 */
const skip = missingKcat();
const broker = skip ? '' : (await startLocal({ after })).address('Kafka');
const bounded = { skip, timeout: 180_000 };

const lines = (values: readonly string[]) => values.map((value) => `${value}\n`).join('');

test('kcat sees the brokers and the partitions of a topic', bounded, async () => {
  await createTopic(broker, 'seen', 3);
  const { brokers, topics } = await kcatMetadata(broker, ['-t', 'seen']);
  assert.deepEqual(
    brokers.map(({ name }) => name),
    [broker],
  );
  assert.equal(topics[0]?.error, undefined);
  assert.deepEqual(
    topics[0]?.partitions.map(({ partition, leader }) => [partition, leader]),
    [0, 1, 2].map((partition) => [partition, brokers[0]!.id]),
  );
  const all = await kcatMetadata(broker);
  assert.ok(all.topics.some(({ topic }) => topic === 'seen'));
});

for (const codec of ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const) {
  test(`kcat writes and reads ${codec}`, bounded, async () => {
    const topic = `codec-${codec}`;
    const values = numberedValues(500);
    await createTopic(broker, topic, 1);
    await kcat(broker, ['-P', '-t', topic, '-p', '0', '-z', codec], lines(values));
    const [batches] = await storedTopic(broker, topic, values.length);
    assert.deepEqual(valuesOf(batches!), values);
    // librdkafka silently sends uncompressed batches to a server that does not advertise Produce from v0 on.
    assert.deepEqual([...new Set(batches!.map((batch) => batch.codec))], [codec]);
    const read = await kcatRead(broker, topic);
    assert.deepEqual(
      read.map(({ offset, payload }) => [offset, payload]),
      values.map((value, offset) => [offset, value]),
    );
  });
}

test('kcat as an idempotent producer is known by its id', bounded, async () => {
  const values = numberedValues(300);
  await createTopic(broker, 'idempotent', 1);
  const options = ['-X', 'enable.idempotence=true', '-X', 'batch.num.messages=50'];
  await kcat(broker, ['-P', '-t', 'idempotent', '-p', '0', ...options], lines(values));
  const [batches] = await storedTopic(broker, 'idempotent', values.length);
  assert.deepEqual(valuesOf(batches!), values);
  const producerIds = new Set(batches!.map(({ producerId }) => producerId));
  assert.equal(producerIds.size, 1);
  assert.ok([...producerIds][0]! >= 0n);
  assert.deepEqual(
    batches!.map(({ baseSequence }) => baseSequence),
    batches!.map(({ baseOffset }) => Number(baseOffset)),
  );
});

for (const acks of ['0', '1', 'all']) {
  test(`kcat writes with acks ${acks}`, bounded, async () => {
    const values = numberedValues(100);
    await createTopic(broker, `acks-${acks}`, 1);
    await kcat(broker, ['-P', '-t', `acks-${acks}`, '-p', '0', '-X', `acks=${acks}`], lines(values));
    const [batches] = await storedTopic(broker, `acks-${acks}`, values.length);
    assert.deepEqual(valuesOf(batches!), values);
  });
}

test('keys, headers, empty values and tombstones pass through kcat', bounded, async () => {
  await createTopic(broker, 'keyed', 1);
  const input = 'apple:red\npear:\nplum:blue: and sour\n';
  const headers = ['-H', 'origin=orchard', '-H', 'empty=', '-H', 'grüße=aus Köln'];
  await kcat(broker, ['-P', '-t', 'keyed', '-p', '0', '-K:', '-Z', ...headers], input);
  const read = await kcatRead(broker, 'keyed');
  assert.deepEqual(
    read.map(({ key, payload }) => [key, payload]),
    [
      ['apple', 'red'],
      ['pear', null],
      ['plum', 'blue: and sour'],
    ],
  );
  for (const record of read) {
    assert.deepEqual(record.headers, ['origin', 'orchard', 'empty', '', 'grüße', 'aus Köln']);
    assert.equal(record.tstype, 'create');
  }
});

test('kcat spreads keys over 1,000 partitions and finds them all again', bounded, async () => {
  await createTopic(broker, 'wide', 1000);
  const { topics } = await kcatMetadata(broker, ['-t', 'wide']);
  assert.equal(topics[0]?.partitions.length, 1000);
  const keys = Array.from({ length: 3000 }, (_, number) => `key-${number}`);
  await kcat(
    broker,
    ['-P', '-t', 'wide', '-K:', '-X', 'topic.partitioner=consistent'],
    lines(keys.map((key) => `${key}:${key} first`).concat(keys.map((key) => `${key}:${key} second`))),
  );
  const stored = await storedTopic(broker, 'wide', 2 * keys.length);
  assert.ok(stored.filter((batches) => batches.length > 0).length > 800, 'most partitions got something');
  const read = await kcatRead(broker, 'wide');
  assert.equal(read.length, 2 * keys.length);
  for (const [partition, batches] of stored.entries()) {
    const mine = read.filter((record) => record.partition === partition);
    assert.deepEqual(
      mine.map(({ offset, payload }) => [offset, payload]),
      valuesOf(batches).map((value, offset) => [offset, value]),
    );
  }
  const ofKey = new Map(keys.map((key) => [key, [] as (string | null)[]]));
  for (const { key, payload } of read) ofKey.get(key!)!.push(payload);
  for (const [key, payloads] of ofKey) assert.deepEqual(payloads, [`${key} first`, `${key} second`]);
});

test('kcat reads from an offset, from the end and from a time', bounded, async () => {
  const values = numberedValues(60);
  await createTopic(broker, 'positions', 1);
  for (const start of [0, 20, 40]) {
    await kcat(broker, ['-P', '-t', 'positions', '-p', '0'], lines(values.slice(start, start + 20)));
  }
  const [batches] = await storedTopic(broker, 'positions', values.length);
  const stored = recordsOf(batches!);
  const from = async (offset: string) =>
    (await kcatRead(broker, 'positions', ['-p', '0', '-o', offset])).map((record) => record.payload);
  assert.deepEqual(await from('33'), values.slice(33));
  assert.deepEqual(await from('-5'), values.slice(-5));
  assert.deepEqual(await from('end'), []);
  const time = stored[25]!.timestamp;
  const first = stored.findIndex(({ timestamp }) => timestamp >= time);
  assert.deepEqual(await from(`s@${time}`), values.slice(first));
});

test('kcat asks for offsets by name and by time', bounded, async () => {
  await createTopic(broker, 'asked', 2);
  for (const word of ['one', 'two', 'three']) {
    await kcat(broker, ['-P', '-t', 'asked', '-p', '1'], lines([word]));
  }
  const [empty, batches] = await storedTopic(broker, 'asked', 3);
  assert.deepEqual(empty, []);
  const times = recordsOf(batches!).map(({ timestamp }) => timestamp);
  const offsetAt = async (partition: number, time: bigint | number) => {
    const out = await kcat(broker, ['-Q', '-t', `asked:${partition}:${time}`]);
    return Number(new RegExp(`^asked \\[${partition}\\] offset (-?\\d+)`).exec(out)?.[1]);
  };
  const earliest = -2;
  const latest = -1;
  assert.equal(await offsetAt(1, earliest), 0);
  assert.equal(await offsetAt(1, latest), 3);
  assert.equal(await offsetAt(0, earliest), 0);
  assert.equal(await offsetAt(0, latest), 0);
  for (const time of times) {
    assert.equal(
      await offsetAt(1, time),
      times.findIndex((found) => found >= time),
    );
  }
  assert.equal(
    await offsetAt(1, times.at(-1)! + 1n),
    -1,
    'there is no such record, which librdkafka calls the end',
  );
});

test('kcat creates a topic by writing to it, and not by reading', bounded, async () => {
  await assert.rejects(kcatRead(broker, 'unheard-of'), /Unknown topic or partition/);
  await kcat(broker, ['-P', '-t', 'made-by-writing'], lines(['hello']));
  const read = await kcatRead(broker, 'made-by-writing');
  assert.deepEqual(
    read.map(({ payload }) => payload),
    ['hello'],
  );
});

test('kcat writes records of a megabyte', bounded, async () => {
  await createTopic(broker, 'large', 1);
  const values = ['a', 'b', 'c'].map((letter) => letter.repeat(900_000));
  await kcat(broker, ['-P', '-t', 'large', '-p', '0'], lines(values));
  const read = await kcatRead(broker, 'large');
  assert.deepEqual(
    read.map(({ payload }) => payload),
    values,
  );
});
