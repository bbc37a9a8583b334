import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  committedOffsets,
  createTopic,
  type KafkaCluster,
  Producer,
  produceRecords,
  readRecords,
  resetOffsets,
} from '@weir/client';
import { systemClock } from '@weir/core';
import { pause } from '../brokers/waiting.ts';
import { openCluster, startDestination, untilSame, writeTransaction } from './migrating.ts';
import { rawLogs } from './raw-log.ts';

const bounded = { timeout: 180_000 };

/** One Weir as the source of another: also the way back after a cut-over. */
test('a migration from another Weir', bounded, async () => {
  const old = await startDestination({ after });
  const next = await startDestination({ after });
  const source = openCluster({ after }, old.broker);
  const create = (name: string) => createTopic(source, { name, partitions: 2, configs: [] });
  const produce = async (topic: string, count: number) => {
    const records = Array.from({ length: count }, (_, n) => ({
      key: null,
      value: Buffer.from(`value ${n}`),
    }));
    await produceRecords(
      source,
      topic,
      new Map([
        [0, records],
        [1, records],
      ]),
      { acks: 'all', codec: 'zstd' },
    );
  };
  await create('before');
  await produce('before', 10);
  await next.migrate(old.broker);
  await untilSame(old.broker, next.broker, 'before');
  await produce('before', 100);
  await create('later');
  for (const outcome of ['commit', 'abort'] as const) await writeTransaction(source, 'later', 2, outcome);
  await produce('later', 3);
  await resetOffsets(source, 'readers', [{ topic: 'later', partition: 1, offset: 2n }]);
  const [before] = await untilSame(old.broker, next.broker, 'before');
  assert.equal(before!.endOffset, 110);
  const [later] = await untilSame(old.broker, next.broker, 'later');
  // Two transactions of two records and a marker.
  assert.equal(later!.endOffset, 9);
  const here = openCluster({ after }, next.broker);
  const committed = async () => (await committedOffsets(here, 'readers')).get('later')?.get(1);
  while ((await committed()) !== 2n) await pause(200);
  // A copy that is made again has nothing of the one before, and gets all of it again.
  await next.call('orbit/delete_copy', { ...next.on, topic_name: 'later' });
  assert.equal(await committed(), undefined);
  while ((await committed()) !== 2n) await pause(200);
  await untilSame(old.broker, next.broker, 'later');
});

/** The states of topics, as the API lists them. */
interface States {
  readonly topics: readonly { readonly topic: string; readonly state: string }[];
}

/** An idempotent producer writes to the new cluster all the time: first to the source through it, then to it. */
test('a topic is cut over while a producer writes', bounded, async () => {
  const old = await startDestination({ after });
  const next = await startDestination({ after });
  const source = openCluster({ after }, old.broker);
  await createTopic(source, { name: 'orders', partitions: 1, configs: [] });
  const first = Array.from({ length: 50 }, (_, n) => ({ key: null, value: Buffer.from(`before ${n}`) }));
  await produceRecords(source, 'orders', new Map([[0, first]]), { acks: 'all', codec: 'none' });
  await next.migrate(old.broker);
  await untilSame(old.broker, next.broker, 'orders');
  const stateOf = async () => {
    const { topics } = await next.call<States>('orbit/auto_migration/status', next.on);
    return topics.find(({ topic }) => topic === 'orders')?.state;
  };
  const orders = { ...next.on, topics: ['orders'] };
  await next.call('orbit/auto_migration/start_forwarding', orders);

  const here = openCluster({ after }, next.broker);
  const producer = new Producer(here, {
    ...{ acks: 'all', codec: 'none', isIdempotent: true, batchBytesMax: 100_000 },
    ...{ timeoutMs: 60_000, metadataMaxAgeMs: 5_000 },
  });
  after(() => producer.close());
  let isWriting = true;
  let written = 0;
  const writing = (async () => {
    while (isWriting) {
      const record = { key: null, value: Buffer.from(`${written}`), timestamp: BigInt(systemClock.nowMs()) };
      const failed = await producer.send('orders', 0, [record]);
      assert.deepEqual([...failed.values()].map(String), []);
      written++;
      await pause(20);
    }
  })();
  while (written < 20) await pause(50);
  const forwarded = written;
  await next.call('orbit/auto_migration/initiate', { ...orders, timeout_seconds: 120 });
  while ((await stateOf()) !== 'migrated') await pause(200);
  const atCutOver = written;
  while (written < atCutOver + 20) await pause(50);
  isWriting = false;
  await writing;

  const [log] = await rawLogs(next.broker, 'orders');
  assert.equal(log!.endOffset, 50 + written, 'each record once');
  const [left] = await rawLogs(old.broker, 'orders');
  assert.ok(left!.endOffset >= 50 + forwarded, 'records were passed on');
  assert.ok(left!.endOffset < 50 + written, 'the source got none after the cut-over');
  assert.deepEqual(
    await valuesOf(here, 'orders', log!.endOffset),
    [...first.map(({ value }) => String(value)), ...Array.from({ length: written }, (_, n) => `${n}`)],
    'in order',
  );
});

/** The values of the first partition up to an offset, in order. */
async function valuesOf(cluster: KafkaCluster, topicName: string, end: number): Promise<string[]> {
  const from = new Map([[0, { offset: 0n, end: BigInt(end) }]]);
  const values: string[] = [];
  for await (const records of readRecords(cluster, { topicName, from, recordsMax: 10_000, waitMs: 0 }))
    for (const { value } of records) values.push(String(value));
  return values;
}
