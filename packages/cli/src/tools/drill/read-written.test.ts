import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { KafkaCluster, Producer } from '@weir/client';
import { systemClock } from '@weir/core';
import { startLocalCluster } from '../../../testing/local-cluster.ts';
import { readWritten } from './read-written.ts';
import { WrittenRecords } from './written-records.ts';

const topic = 'drill';
const prefix = 'weir drill 1 ';
/** An answer to a fetch has less of a partition than this. */
const fillerCount = 6;
const fillerBytes = 900_000;

async function startTopic(t: TestContext, partitionCount: number): Promise<KafkaCluster> {
  const { port, weir } = await startLocalCluster(t);
  await weir(`cli create-topic -topic ${topic} -partitions ${partitionCount}`);
  const cluster = new KafkaCluster({
    bootstrap: [{ host: '127.0.0.1', port }],
    clientId: 'drill',
    timeoutMs: 10_000,
    clock: systemClock,
    stop: new AbortController().signal,
  });
  t.after(() => cluster.close());
  return cluster;
}

test('second copies and records that were not acknowledged are found behind the last that was', async (t) => {
  const cluster = await startTopic(t, 2);
  const producer = new Producer(cluster, {
    acks: 'all',
    codec: 'none',
    isIdempotent: false,
    batchBytesMax: 1_000_000,
    timeoutMs: 10_000,
    metadataMaxAgeMs: 60_000,
  });
  t.after(() => producer.close());
  const send = async (partition: number, value: Buffer) => {
    const failed = await producer.send(topic, partition, [{ key: null, value, headers: [], timestamp: 0n }]);
    assert.equal(failed.size, 0);
  };
  const written = new WrittenRecords(2, 0);
  for (const partition of [0, 1]) for (let n = 0; n < 3; n++) written.send(partition);
  for (const [partition, number] of [
    [0, 0],
    [0, 1],
    [1, 0],
  ] as const) {
    await send(partition, Buffer.from(`${prefix}${number}`));
    written.acknowledged(partition, number, 0);
  }
  for (let n = 0; n < fillerCount; n++) await send(0, Buffer.alloc(fillerBytes, n));
  await send(0, Buffer.from(`${prefix}1`));
  await send(0, Buffer.from(`${prefix}2`));

  const from = new Map([
    [0, 0n],
    [1, 0n],
  ]);
  await readWritten(cluster, { topicName: topic, prefix, from, written, patienceMs: 60_000 });
  const { lost, doubled, unexpected, acknowledged } = written.report();
  assert.deepEqual(
    { lost, doubled, unexpected, acknowledged },
    { lost: 0, doubled: 1, unexpected: 1, acknowledged: 3 },
  );
});

test('without an acknowledged record there is nothing to wait for', async (t) => {
  const cluster = await startTopic(t, 1);
  const written = new WrittenRecords(1, 0);
  written.send(0);
  await readWritten(cluster, {
    topicName: topic,
    prefix,
    from: new Map([[0, 0n]]),
    written,
    patienceMs: Number.POSITIVE_INFINITY,
  });
  assert.equal(written.report().lost, 0);
});
