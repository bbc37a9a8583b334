import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { compressionsAlgorithms } from '@platformatic/kafka';
import { type CompressionCodec, codecIds } from '@weir/wire';
import { Kafka, logLevel, type Message } from 'kafkajs';
import { missingTool } from '../apache/tools.ts';
import { plugCodec } from '../clients/kafkajs.ts';
import { type JavaRecord, openJavaClient } from './java-client.ts';
import { recordsOf, storedTopic } from './stored.ts';
import { lastFirst, startPlayground, temporaryFolder } from './weir-process.ts';

/**
 * An agent that adds the principal header to every record and lets every client impersonate others. Clients must not
 * notice this when they write, and must be able to read batches that were recompressed by other libraries than their
 * own.
 */
const lifetime = lastFirst({ after });
const agent = await startPlayground(lifetime, temporaryFolder(lifetime), {
  SERVICE_INJECT_PRINCIPAL_HEADER: 'author',
  SERVICE_IMPERSONATOR_PRINCIPALS: 'User:ANONYMOUS',
});
const broker = agent.address('Kafka');
const skip = missingTool();
const java = skip ? undefined! : openJavaClient(lifetime);
const bounded = { timeout: 180_000 };
const kafka = new Kafka({ clientId: 'judge', brokers: [broker], logLevel: logLevel.NOTHING });
const codecs = Object.keys(codecIds) as CompressionCodec[];

for (const codec of ['snappy', 'lz4', 'zstd'] as const) {
  const { compressSync, decompressSync } = compressionsAlgorithms[codec];
  plugCodec(codecIds[codec], compressSync, decompressSync);
}

async function createTopic(topic: string): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] });
  } finally {
    await admin.disconnect();
  }
}

async function produce(topic: string, messages: Message[], codec: CompressionCodec = 'none'): Promise<void> {
  const producer = kafka.producer({ allowAutoTopicCreation: false, retry: { retries: 1 } });
  await producer.connect();
  try {
    await producer.send({ topic, messages, compression: codecIds[codec] });
  } finally {
    await producer.disconnect();
  }
}

for (const codec of codecs) {
  test(`Apache's clients write ${codec} and read who wrote it`, { ...bounded, skip }, async () => {
    const topic = `java-${codec}`;
    const count = 900;
    await java.ask('create-topic', broker, topic, 1);
    const settings = [`compression.type=${codec}`, 'batch.size=4000'];
    const places = await java.ask('produce', broker, topic, 1, count, 1_700_000_000_000, ...settings);
    assert.deepEqual(
      places,
      Array.from({ length: count }, (_, n) => [0, `${n}`]),
    );
    const read = await java.ask<readonly JavaRecord[]>('read', broker, topic);
    assert.deepEqual(
      read,
      Array.from({ length: count }, (_, n): JavaRecord => {
        const value = `value ${n} ${'weir '.repeat(20)}`;
        const headers = [`header=of ${n}`, 'author=ANONYMOUS'];
        return [0, `${n}`, `${1_700_000_000_000 + n}`, `key ${n}`, value, headers];
      }),
    );
    const batches = (await storedTopic(broker, topic, count)).flat();
    assert.ok(batches.length > 1);
    assert.deepEqual([...new Set(batches.map((batch) => batch.codec))], [codec]);
    assert.equal(new Set(batches.map(({ producerId }) => producerId)).size, 1, 'it is idempotent as before');
  });

  test(`kafkajs writes ${codec} for others, and Apache's consumer reads for whom`, {
    ...bounded,
    skip,
  }, async () => {
    const topic = `kafkajs-${codec}`;
    await createTopic(topic);
    const messages = Array.from({ length: 300 }, (_, n): Message => {
      const user = n % 3 === 0 ? {} : { 'service-impersonate-principal': `User:user ${n % 3}` };
      return { key: `key ${n}`, value: 'weir '.repeat(n), headers: { ...user, author: 'forged', n: `${n}` } };
    });
    await produce(topic, messages, codec);
    const read = await java.ask<readonly JavaRecord[]>('read', broker, topic);
    assert.deepEqual(
      read.map(([, offset, , key, value, headers]) => [offset, key, value, headers]),
      messages.map(({ key, value }, n) => {
        const author = n % 3 === 0 ? 'ANONYMOUS' : `user ${n % 3}`;
        return [`${n}`, key, value, [`n=${n}`, `author=${author}`]];
      }),
    );
  });
}

test('a record that is written for nobody is refused, and its batch with it', bounded, async () => {
  await createTopic('refused');
  const named = (name: string): Message => ({
    value: name,
    headers: { 'service-impersonate-principal': name },
  });
  await assert.rejects(produce('refused', [named('User:alice'), named('alice')]), { type: 'INVALID_RECORD' });
  await produce('refused', [named('User:alice')]);
  const [batches] = await storedTopic(broker, 'refused', 1);
  assert.deepEqual(
    recordsOf(batches!).map(({ value }) => String(value)),
    ['User:alice'],
  );
});
