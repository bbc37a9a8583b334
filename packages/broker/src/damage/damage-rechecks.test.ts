import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '@weir/core';
import { settle } from '@weir/core/testing';
import { StoreError } from '@weir/storage';
import { batchOf, DataPath, produced } from '../../testing/data-path.ts';
import { DamageRechecks } from './damage-rechecks.ts';

async function stage() {
  const path = new DataPath({ pages: { ownFiles: 'none', cacheBytesMax: 0 } });
  const { topicId } = path.cluster.addTopic('t', 1);
  await path.ready();
  await path.writePath.append([produced(topicId, 0, batchOf(['a', 'b']))], { deadlineMs: 1e15 });
  await settle();
  const [key, content] = [...path.store.objects][0]!;
  const { damage, readPath, clock } = path;
  const rechecks = new DamageRechecks({ damage, readPath, clock, port: path.cluster, log: silentLog });
  const fetch = () =>
    path.call('Fetch', 11, {
      maxWaitMs: 0,
      minBytes: 1,
      topics: [
        { topic: 't', topicId, partitions: [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: 1 << 20 }] },
      ],
    });
  path.store.objects.delete(key);
  await fetch();
  assert.equal(damage.known().length, 1);
  return { path, topicId, key, content, rechecks };
}

test('damage lasts until the file is readable, whatever errors the store returns meanwhile', async () => {
  const { path, key, content, rechecks } = await stage();
  await rechecks.run();
  assert.equal(path.damage.known().length, 1);
  path.store.beforeGet = () => Promise.reject(new StoreError('timeout', key, 'test'));
  await rechecks.run();
  assert.equal(path.damage.known().length, 1);
  path.store.beforeGet = async () => {};
  path.store.objects.set(key, content);
  await rechecks.run();
  assert.deepEqual(path.damage.known(), []);
});

test('damage ends when all of its offsets are deleted', async () => {
  const { path, topicId, rechecks } = await stage();
  path.cluster.deleteRecordsBefore(topicId, 0, 1);
  await rechecks.run();
  assert.equal(path.damage.known().length, 1);
  path.cluster.deleteRecordsBefore(topicId, 0, 2);
  await rechecks.run();
  assert.deepEqual(path.damage.known(), []);
});
