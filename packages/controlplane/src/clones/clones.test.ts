import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { youngFileId } from '@weir/core/testing';
import { openJournals } from '@weir/journal';
import { bucketIdKey, dropMemoryBucket, type ObjectStore, openStore, restoreFenceKey } from '@weir/storage';
import { oneBatchFile } from '../../testing/one-batch-file.ts';
import { callApi, connectAgent, startProcess } from '../../testing/running-process.ts';
import { until } from '../../testing/until.ts';
import { listClones, putCloneOf, putHeld } from './clone-objects.ts';
import { clusterCloning } from './cluster-cloning.ts';

async function openBucket(t: TestContext): Promise<ObjectStore> {
  const name = randomUUID();
  t.after(() => dropMemoryBucket(name));
  const deps = { clock: systemClock, random: systemRandom, environment: {}, log: silentLog };
  return openStore(`mem://${name}`, { ...deps, metrics: new Metrics() });
}

interface Stage {
  readonly url: string;
  readonly cookie: string;
  readonly store: ObjectStore;
}

async function openStage(t: TestContext, hasBackup = true): Promise<Stage> {
  const store = await openBucket(t);
  const { url, setupUrl } = await startProcess(t, hasBackup ? { backup: { store, intervalMs: 60_000 } } : {});
  const person = {
    account_name: 'Example',
    email: 'ada@example.com',
    password: 'correct horse battery',
    name: 'Ada',
  };
  const signedUp = await callApi(url, 'setup', { token: new URL(setupUrl!).hash.slice(1), ...person });
  return { url, cookie: signedUp.cookie!, store };
}

/** A cluster whose first agent has claimed the bucket. */
async function makeCluster(t: TestContext, { url, cookie, store }: Stage, name: string) {
  const { body } = await callApi(url, 'create_virtual_cluster', { virtual_cluster_name: name }, { cookie });
  const clusterId = body.virtual_cluster_id;
  const agent = connectAgent(t, url, clusterId, body.agent_key!.key!);
  await store.put(bucketIdKey(clusterId), [Buffer.from('bki_1\n')]);
  assert.equal(await agent.claimBucket('bki_1'), 'bki_1');
  return { clusterId, agent };
}

const clone = ({ url, cookie }: Stage, clusterId: string, name = 'copy') =>
  callApi(
    url,
    'clone_virtual_cluster',
    { virtual_cluster_id: clusterId, new_virtual_cluster_name: name },
    { cookie },
  );

test('a clone has the topics of the cluster, refers to its files, and is a cluster of its own', async (t) => {
  const stage = await openStage(t);
  const { url, cookie, store } = stage;
  const { clusterId, agent } = await makeCluster(t, stage, 'orders');
  const [made] = await agent.createTopics([{ name: 'a', partitionCount: 1, configs: {} }], {
    validateOnly: false,
  });
  const { topicId } = made!.topic!;
  await agent.commitFiles([oneBatchFile(1, topicId, 0, 10)]);

  const { status, body } = await clone(stage, clusterId);
  assert.equal(status, 200, body.message);
  const cloneId = body.virtual_cluster_id;
  assert.notEqual(cloneId, clusterId);
  assert.equal(body.virtual_cluster_name, 'vcn_copy');
  const [marked] = await listClones(store, clusterId);
  assert.deepEqual([marked!.cloneId, marked!.isHeld], [cloneId, true]);

  const cloneAgent = connectAgent(t, url, cloneId, body.agent_key!.key!);
  assert.equal(await cloneAgent.claimBucket(null), 'bki_1', 'agents of the clone refuse another bucket');
  const query = [{ topicId, partition: 0, offset: 0, bytesMax: 1e6 }];
  const [found] = await cloneAgent.findBatches(query);
  assert.deepEqual([found!.nextOffset, found!.pointers.fileId], [10, [`${youngFileId(1)}@${clusterId}`]]);

  // What is written to one of them is not in the other.
  await agent.commitFiles([oneBatchFile(2, topicId, 0, 5)]);
  await cloneAgent.commitFiles([oneBatchFile(3, topicId, 0, 7)]);
  assert.deepEqual(
    [(await agent.findBatches(query))[0]!.nextOffset, (await cloneAgent.findBatches(query))[0]!.nextOffset],
    [15, 17],
  );
  const sameName = await clone(stage, clusterId);
  assert.deepEqual([sameName.status, sameName.body.error], [409, 'duplicate_name']);
  assert.equal((await listClones(store, clusterId)).length, 1, 'nothing is left of it');

  const confirmed = { virtual_cluster_id: clusterId, virtual_cluster_name: 'orders' };
  const refused = await callApi(url, 'delete_virtual_cluster', confirmed, { cookie });
  assert.deepEqual(
    [refused.status, refused.body.error, refused.body.message],
    [
      409,
      'conflict',
      'vcn_orders cannot be deleted: its clones vcn_copy share its files; delete them first.',
    ],
  );
  const gone = { virtual_cluster_id: cloneId, virtual_cluster_name: 'copy' };
  assert.equal((await callApi(url, 'delete_virtual_cluster', gone, { cookie })).status, 200);
  assert.equal((await callApi(url, 'delete_virtual_cluster', confirmed, { cookie })).status, 200);
  await until(async () => (await listClones(store, clusterId)).length === 1);
});

test('what cannot be cloned is refused with one line, and nothing is left', async (t) => {
  const stage = await openStage(t);
  const { url, cookie, store } = stage;
  const made = await callApi(url, 'create_virtual_cluster', { virtual_cluster_name: 'new' }, { cookie });
  const withoutBucket = await clone(stage, made.body.virtual_cluster_id);
  assert.equal(withoutBucket.body.error, 'conflict');
  assert.match(
    withoutBucket.body.message!,
    /^vci_\w+ has no bucket yet; start one of its agents with a bucket/,
  );
  const { clusterId } = await makeCluster(t, stage, 'orders');
  await store.put(bucketIdKey(clusterId), [Buffer.from('bki_2\n')]);
  const otherBucket = await clone(stage, clusterId);
  assert.equal(otherBucket.body.error, 'conflict');
  assert.match(
    otherBucket.body.message!,
    /^the bucket of the control plane is not that of vci_\w+, whose id is bki_1; /,
  );
  const { body } = await callApi(url, 'list_virtual_clusters', {}, { cookie });
  assert.ok(!body.virtual_clusters.some(({ name }) => name === 'vcn_copy'));

  const lake = { virtual_cluster_name: 'lake', virtual_cluster_type: 'byoc_data_lake' };
  const madeLake = await callApi(url, 'create_virtual_cluster', lake, { cookie });
  const ofLake = await clone(stage, madeLake.body.virtual_cluster_id);
  assert.equal(ofLake.body.error, 'unsupported_cluster_type');
  assert.match(ofLake.body.message!, /^Data lake clusters cannot be cloned: .*Create a data lake cluster/);

  const blind = await openStage(t, false);
  const cluster = await makeCluster(t, blind, 'orders');
  const unknown = await clone(blind, cluster.clusterId);
  assert.equal(unknown.body.error, 'conflict');
  assert.match(unknown.body.message!, /does not know the bucket of the cluster; start it with -bucketURL/);
});

test('what is forgotten of a clone ends its hold, unless it lives on in another database', async (t) => {
  const store = await openBucket(t);
  const hub = openJournals(`memory://${randomUUID()}`, { clock: systemClock, log: silentLog });
  t.after(() => hub.close());
  const cloning = clusterCloning({
    hub,
    store,
    portOf: () => ({}) as never,
    random: systemRandom,
    clock: systemClock,
  });
  for (const cloneId of ['vci_one', 'vci_two']) {
    await putCloneOf(store, 'vci_source', cloneId, 'bki_1');
    await putHeld(store, 'vci_source', cloneId, [youngFileId(1)]);
  }
  assert.deepEqual(await cloning.clonesOf('vci_source'), ['vci_one', 'vci_two']);
  await store.put(restoreFenceKey('vci_two', 1), [Buffer.from('restored\n')]);
  for (const clusterId of ['vci_one', 'vci_two', 'vci_source']) await cloning.forget(clusterId);
  assert.deepEqual(await cloning.clonesOf('vci_source'), ['vci_two']);
});
