import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { committedOffsets, createTopic, produceRecords, resetOffsets } from '@weir/client';
import { pause } from '../brokers/waiting.ts';
import { openCluster, startDestination, untilSame, writeTransaction } from './migrating.ts';

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
  while ((await committedOffsets(here, 'readers')).get('later')?.get(1) !== 2n) await pause(200);
});
