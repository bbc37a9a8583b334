import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { startLocalCluster } from '@weir/cli/testing';
import {
  createTopic,
  KafkaCluster,
  offsetRanges,
  produceRecords,
  type ReadRecord,
  readRecords,
} from '@weir/client';
import { systemClock } from '@weir/core';

/** A cluster in this process. */
export async function openCluster(t: TestContext) {
  const { port } = await startLocalCluster(t);
  const cluster = new KafkaCluster({
    bootstrap: [{ host: '127.0.0.1', port }],
    clientId: 'test',
    timeoutMs: 20_000,
    clock: systemClock,
    stop: new AbortController().signal,
  });
  t.after(() => cluster.close());
  return { cluster, broker: `127.0.0.1:${port}`, port };
}

/** Makes a topic with records: texts by partition. */
export async function topicWith(
  cluster: KafkaCluster,
  name: string,
  texts: readonly (readonly string[])[],
): Promise<void> {
  await createTopic(cluster, { name, partitions: texts.length, configs: [] });
  const records = new Map(
    texts.map((ofPartition, partition) => [
      partition,
      ofPartition.map((text, at) => ({
        key: Buffer.from(`key ${at}`),
        value: text === 'tombstone' ? null : Buffer.from(text),
        headers: [
          { key: 'trace', value: Buffer.from('one') },
          { key: 'trace', value: Buffer.from('two') },
        ],
      })),
    ]),
  );
  const filled = new Map([...records].filter(([, ofPartition]) => ofPartition.length > 0));
  const { failures } = await produceRecords(cluster, name, filled, { acks: 'all', codec: 'gzip' });
  assert.equal(failures.size, 0);
}

/** What a topic has now. */
export async function recordsOf(
  cluster: KafkaCluster,
  topicName: string,
  count: number,
): Promise<ReadRecord[]> {
  const partitions = (await cluster.metadata([topicName])).topics[0]!.partitions.map(
    (one) => one.partitionIndex,
  );
  const { answers } = await offsetRanges(cluster, topicName, partitions);
  const from = new Map(
    [...answers].map(([partition, { earliest, latest }]) => [partition, { offset: earliest, end: latest }]),
  );
  const records: ReadRecord[] = [];
  for await (const some of readRecords(cluster, { topicName, from, recordsMax: count, waitMs: 0 }))
    records.push(...some);
  return records;
}

/** Waits until something is true; the time is that of the runner of tests. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue()))
    await new Promise((resolve) => void systemClock.after(20, () => resolve(undefined)));
}
