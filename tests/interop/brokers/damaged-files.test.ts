import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { MiB, systemClock } from '@weir/core';
import { apis, batchRecords, errorByCode, recordBatches } from '@weir/wire';
import { Kafka, logLevel } from 'kafkajs';
import { fileDamages, fileOf } from './file-damage.ts';
import { connect } from './stored.ts';
import { createTopic } from './topics.ts';
import { lastFirst, startCluster, temporaryFolder } from './weir-process.ts';

const topic = 'damaged';
const timeoutMs = 60_000;
/** Partition n has its second file damaged in the n-th way; the last partition is intact. */
const partitionCount = fileDamages.length + 1;
const valueAt = (partition: number, offset: number) => `value-${partition}-${offset}`;

test('damage of files on disk costs their offsets and nothing else, and ends with it', {
  timeout: 180_000,
}, async (t) => {
  const lifetime = lastFirst(t);
  const folder = temporaryFolder(lifetime);
  const cluster = await startCluster(lifetime, {
    agents: [{ zone: 'zone-a' }],
    controlPlanes: 1,
    bucketUrl: pathToFileURL(folder).href,
  });
  const writer = cluster.agents[0]!.address('Kafka');
  await createTopic(writer, topic, partitionCount);
  await produceFiles(writer);
  const paths = Array.from(fileDamages, (_, partition) => fileOf(folder, valueAt(partition, 1)));
  const contents = paths.map((path) => readFileSync(path));
  for (const [partition, damage] of fileDamages.entries()) damage(paths[partition]!, valueAt(partition, 1));

  // This agent has nothing in its cache.
  const reader = (await cluster.addAgent({ zone: 'zone-b' })).address('Kafka');
  assert.deepEqual(await fetch(reader, 0), [
    ...fileDamages.map((_, partition) => ['NONE', [valueAt(partition, 0)]]),
    ['NONE', [0, 1, 2].map((offset) => valueAt(fileDamages.length, offset))],
  ]);
  assert.deepEqual(await fetch(reader, 1), [
    ...fileDamages.map(() => ['KAFKA_STORAGE_ERROR', []]),
    ['NONE', [1, 2].map((offset) => valueAt(fileDamages.length, offset))],
  ]);
  assert.deepEqual(
    await fetch(reader, 2),
    Array.from({ length: partitionCount }, (_, partition) => ['NONE', [valueAt(partition, 2)]]),
  );

  for (const [index, path] of paths.entries()) writeFileSync(path, contents[index]!);
  const restored = Array.from({ length: partitionCount }, (_, partition) => [
    'NONE',
    [1, 2].map((offset) => valueAt(partition, offset)),
  ]);
  // Known damage is checked again after some seconds.
  for (;;) {
    const found = await fetch(reader, 1);
    if (found.every(([error]) => error === 'NONE')) {
      assert.deepEqual(found, restored);
      break;
    }
    await new Promise<void>((resolve) => systemClock.after(500, resolve));
  }
});

/** Writes three records to each partition, each in its own file. */
async function produceFiles(broker: string): Promise<void> {
  const kafka = new Kafka({ clientId: 'judge', brokers: [broker], logLevel: logLevel.NOTHING });
  const producer = kafka.producer();
  await producer.connect();
  try {
    for (let partition = 0; partition < partitionCount; partition++) {
      for (let offset = 0; offset < 3; offset++) {
        await producer.send({ topic, messages: [{ partition, value: valueAt(partition, offset) }] });
      }
    }
  } finally {
    await producer.disconnect();
  }
}

/** Returns error and values of every partition, from an offset on. */
async function fetch(broker: string, offset: number): Promise<[error: string, values: string[]][]> {
  const connection = await connect(broker);
  try {
    const partitions = Array.from({ length: partitionCount }, (_, partition) => ({
      partition,
      fetchOffset: BigInt(offset),
      partitionMaxBytes: MiB,
    }));
    const { responses } = await connection.request(
      apis.Fetch,
      { maxWaitMs: 100, minBytes: 1, maxBytes: 16 * MiB, topics: [{ topic, partitions }] },
      { timeoutMs, highestUseful: 12 },
    );
    return responses[0]!.partitions.map(({ errorCode, records }) => [
      errorByCode(errorCode)!.name,
      [...recordBatches(bytesOf(records), { partialTail: 'ignore' })].flatMap((batch) =>
        [...batchRecords(batch)].map(({ value }) => String(value)),
      ),
    ]);
  } finally {
    connection.close();
  }
}

function bytesOf(records: Buffer | null): Buffer {
  return records ?? Buffer.alloc(0);
}
