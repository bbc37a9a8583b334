import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FollowedEntries } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { silentLog } from '@weir/core';
import { settle } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import { createClusterView } from './following-view.ts';

test('a view has the earlier and later entries of its cluster, each namespace separately', async () => {
  const cluster = new TestCluster();
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
  await settle();
  assert.deepEqual(seen(), { old: '{"n":3}' });
  assert.ok(records.version > before);
  assert.equal(view.records('clientMetrics').byKey.size, 1);

  before = records.version;
  cluster.holdChanges();
  cluster.putRecord('clientQuota', 'old', null);
  cluster.reconnectFollowers();
  cluster.releaseChanges();
  await settle();
  assert.deepEqual(seen(), {}, 'what is not in a snapshot is gone');
  assert.ok(records.version > before);
  view.close();
});

test('readers of derived values get the keys that changed, if it is not too long ago', () => {
  const followed = new FollowedEntries();
  const put = (key: string) => followed.put('acl', key, Buffer.alloc(0));
  const records = followed.of('acl');
  assert.deepEqual(records.changedSince(-1), undefined);
  put('a');
  const { version } = records;
  assert.deepEqual(records.changedSince(version), []);
  put('b');
  followed.put('acl', 'a', null);
  followed.put('clientQuota', 'c', Buffer.alloc(0));
  assert.deepEqual(records.changedSince(version), ['b', 'a']);

  followed.restart([{ namespace: 'acl', key: 'd', value: Buffer.alloc(0) }]);
  assert.equal(records.changedSince(version), undefined, 'anything may have changed');
  const restarted = records.version;
  for (let n = 0; n < clusterLimits.followedChangesMax * 3; n++) {
    put(`k${n}`);
    assert.deepEqual(records.changedSince(records.version - 1), [`k${n}`]);
  }
  assert.equal(records.changedSince(restarted), undefined, 'too long ago');
});
