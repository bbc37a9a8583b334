import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '@weir/core';
import { settled } from '../../testing/data-path.ts';
import { FakeCluster } from '../../testing/index.ts';
import { createClusterView } from './following-view.ts';

test('a view knows the records of its cluster, those of before and of now, each namespace by itself', async () => {
  const cluster = new FakeCluster();
  cluster.putRecord('clientQuota', 'old', { n: 1 });
  cluster.putRecord('clientQuota', 'gone', { n: 2 });
  const view = createClusterView(cluster, { log: silentLog });
  await view.ready();
  const records = view.records('clientQuota');
  const seen = () =>
    Object.fromEntries([...records.byKey].map(([key, value]) => [key, Buffer.from(value).toString()]));
  assert.deepEqual(seen(), { old: '{"n":1}', gone: '{"n":2}' });

  let before = records.version;
  cluster.putRecord('clientQuota', 'old', { n: 3 });
  cluster.putRecord('clientQuota', 'gone', null);
  cluster.putRecord('clientMetrics', 'other', {});
  await settled();
  assert.deepEqual(seen(), { old: '{"n":3}' });
  assert.ok(records.version > before);
  assert.equal(view.records('clientMetrics').byKey.size, 1);

  before = records.version;
  cluster.holdChanges();
  cluster.putRecord('clientQuota', 'old', null);
  cluster.reconnectFollowers();
  cluster.releaseChanges();
  await settled();
  assert.deepEqual(seen(), {}, 'what is not in a snapshot is gone');
  assert.ok(records.version > before);
  view.close();
});
