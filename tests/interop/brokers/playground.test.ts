import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Kafka, logLevel } from 'kafkajs';
import { recordsOf, storedTopic } from './stored.ts';
import { createTopic } from './topics.ts';
import { lastFirst, startLocal, startPlayground, temporaryFolder } from './weir-process.ts';

const bounded = { timeout: 180_000 };

async function send(broker: string, topic: string, values: readonly string[]): Promise<void> {
  const kafka = new Kafka({ clientId: 'judge', brokers: [broker], logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ idempotent: true });
  await producer.connect();
  try {
    await producer.send({ topic, messages: values.map((value) => ({ value })) });
  } finally {
    await producer.disconnect();
  }
}

async function read(broker: string, topic: string, recordsMin: number) {
  const [batches] = await storedTopic(broker, topic, recordsMin);
  return recordsOf(batches!).map(({ offset, value }) => [Number(offset), String(value)]);
}

for (const end of ['stop', 'kill'] as const) {
  test(`a playground keeps its records over a ${end}`, bounded, async (t) => {
    const lifetime = lastFirst(t);
    const dataDir = join(temporaryFolder(lifetime), 'data');
    const one = await startPlayground(lifetime, dataDir);
    await createTopic(one.address('Kafka'), 'kept', 1);
    await send(one.address('Kafka'), 'kept', ['a', 'b', 'c']);
    await one[end]();
    const two = await startPlayground(lifetime, dataDir);
    const stored = [
      [0, 'a'],
      [1, 'b'],
      [2, 'c'],
    ];
    assert.deepEqual(await read(two.address('Kafka'), 'kept', 3), stored);
    await send(two.address('Kafka'), 'kept', ['d']);
    assert.deepEqual(await read(two.address('Kafka'), 'kept', 4), [...stored, [3, 'd']]);
  });
}

test('in CI a playground runs as local, says so, and keeps nothing', bounded, async (t) => {
  const lifetime = lastFirst(t);
  const dataDir = join(temporaryFolder(lifetime), 'data');
  const playground = await startPlayground(lifetime, dataDir, { CI: 'true' });
  assert.match(playground.output.err, /^weir playground: warning: started in CI/m);
  assert.match(playground.output.out, /^weir v\d+ local is ready/m);
  await createTopic(playground.address('Kafka'), 'gone', 1);
  await send(playground.address('Kafka'), 'gone', ['a']);
  assert.deepEqual(await read(playground.address('Kafka'), 'gone', 1), [[0, 'a']]);
  await playground.stop();
  assert.equal(existsSync(dataDir), false);
});

test('two of local do not disturb each other', bounded, async (t) => {
  const [one, two] = await Promise.all([startLocal(t), startLocal(t)]);
  await createTopic(one.address('Kafka'), 'mine', 1);
  await send(one.address('Kafka'), 'mine', ['a']);
  assert.deepEqual(await read(one.address('Kafka'), 'mine', 1), [[0, 'a']]);
  await assert.rejects(storedTopic(two.address('Kafka'), 'mine'), /UNKNOWN_TOPIC_OR_PARTITION/);
});
