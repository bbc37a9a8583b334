import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLocalCluster } from '@weir/cli/testing';
import { MiB, systemClock } from '@weir/core';
import { batchRecords, recordBatches } from '@weir/wire';
import { KafkaCluster } from '../cluster.ts';
import { createTopic } from '../topics.ts';
import { fetchBatches } from './fetch.ts';
import { allAnswers, requestFromLeaders } from './leaders.ts';
import { RememberedTopic } from './remembered-topic.ts';
import { TransactionalProducer } from './transactional-producer.ts';

const limits = { maxWaitMs: 0, responseBytesMax: MiB, partitionBytesMax: MiB, timeoutMs: 10_000 };

test('transactions over two topics are committed or aborted as a whole, and a newer producer takes over', async (t) => {
  const { port } = await startLocalCluster(t);
  const stop = new AbortController();
  const cluster = new KafkaCluster({
    bootstrap: [{ host: 'localhost', port }],
    clientId: 'test',
    timeoutMs: 10_000,
    clock: systemClock,
    stop: stop.signal,
  });
  t.after(() => cluster.close());
  const topics = ['payments', 'ledger'].map((name) => new RememberedTopic(cluster, name));
  for (const { name } of topics) await createTopic(cluster, { name, partitions: 2, configs: [] });

  const open = async () => {
    const producer = new TransactionalProducer(cluster, {
      transactionalId: 'checkout',
      transactionTimeoutMs: 60_000,
    });
    await producer.open();
    return (text: string, outcome: 'commit' | 'abort') => {
      const records = [{ key: null, value: Buffer.from(text) }];
      const byPartition = new Map([
        [0, records],
        [1, [...records, ...records]],
      ]);
      return producer.write(
        topics.map((topic) => ({ topic, byPartition })),
        outcome,
      );
    };
  };
  const write = await open();
  await write('one', 'commit');
  await write('two', 'abort');
  await write('three', 'commit');

  const second = await open();
  await second('four', 'commit');
  await assert.rejects(write('five', 'commit'), /PRODUCER_FENCED|INVALID_PRODUCER_EPOCH/);

  for (const topic of topics) {
    const found = allAnswers(
      await requestFromLeaders(cluster, topic, [0, 1], (leader, metadata, partitions) =>
        fetchBatches(leader, metadata, new Map(partitions.map((one) => [one, 0n])), limits, 'read_committed'),
      ),
    );
    for (const [partition, { records: bytes }] of found) {
      const batches = [...recordBatches(bytes, { partialTail: 'ignore' })];
      const written = batches
        .filter((batch) => !batch.isControl)
        .flatMap((batch) => [...batchRecords(batch)].map(({ value }) => String(value)));
      const each = ['one', 'two', 'three', 'four'];
      assert.deepEqual(written, partition === 0 ? each : each.flatMap((text) => [text, text]));
      assert.ok(batches.every(({ isTransactional }) => isTransactional));
      // Every transaction ends with a marker: four of them.
      assert.equal(batches.filter(({ isControl }) => isControl).length, 4);
    }
  }
});
