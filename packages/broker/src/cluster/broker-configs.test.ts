import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FollowedEntries } from '@weir/cluster';
import { ownConfigsReader } from './broker-configs.ts';

test('broker configs override cluster configs, and the object stays the same until something changes', () => {
  const records = new FollowedEntries();
  let clusterConfigs: Record<string, string> = { a: '1', b: '2' };
  const cluster = { clusterConfigs: () => clusterConfigs, records: (name: string) => records.of(name) };
  const read = ownConfigsReader(() => 7);
  const put = (key: string, configs: Record<string, string>) =>
    records.put('brokerConfigs', key, Buffer.from(JSON.stringify(configs)));
  assert.equal(read(cluster), clusterConfigs);
  put('8', { a: '9' });
  assert.deepEqual(read(cluster), { a: '1', b: '2' });
  put('7', { a: '3' });
  const own = read(cluster);
  assert.deepEqual(own, { a: '3', b: '2' });
  assert.equal(read(cluster), own);
  clusterConfigs = { a: '1', c: '4' };
  assert.deepEqual(read(cluster), { a: '3', c: '4' });
  records.put('brokerConfigs', '7', null);
  assert.deepEqual(read(cluster), { a: '1', c: '4' });
});
