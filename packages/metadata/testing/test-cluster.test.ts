import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterUnavailable, shutdownLeaseMs } from '@weir/cluster';
import { settle } from '@weir/core/testing';
import { TestCluster } from './test-cluster.ts';

/** Follows a cluster, and notes what it receives. */
function followed(cluster: TestCluster) {
  const received: string[] = [];
  const unfollow = cluster.follow({
    onSnapshot: ({ topics, term }) => received.push(`term ${term}: ${topics.map(({ name }) => name)}`),
    onChanges: (changes) => received.push(...changes.map(({ kind }) => kind)),
  });
  return { received, unfollow };
}

test('what a test sets up is there at once, and followers learn of it', async () => {
  const cluster = new TestCluster({ clusterConfigs: { 'num.partitions': '3' } });
  const { received } = followed(cluster);
  const { topicId } = cluster.addTopic('t', 2);
  cluster.putRecord('clientMetrics', 'm', {});
  const [topic] = await cluster.describeTopics([{ topicId }]);
  assert.deepEqual([topic?.name, topic?.partitionCount], ['t', 2]);
  await settle();
  assert.deepEqual(received, ['term 1: ', 'topic', 'record']);
  assert.deepEqual(await cluster.clusterConfigs(), { 'num.partitions': '3' });
});

test('calls are counted, and refused without effect while the cluster is unavailable', async () => {
  const cluster = new TestCluster();
  assert.equal(await cluster.allocateProducerIds(1), 1);
  cluster.unavailable = true;
  await assert.rejects(cluster.allocateProducerIds(1), ClusterUnavailable);
  cluster.unavailable = false;
  assert.equal(await cluster.allocateProducerIds(1), 2);
  assert.deepEqual([cluster.calls.allocateProducerIds, cluster.calls.commitFiles], [3, 0]);
});

test('a test can delay a call, and lose its answer', async () => {
  const cluster = new TestCluster();
  const delay = Promise.withResolvers<void>();
  cluster.around = async (_, proceed) => {
    await delay.promise;
    await proceed();
    throw new ClusterUnavailable('the connection broke');
  };
  const lost = assert.rejects(cluster.allocateProducerIds(1), /the connection broke/);
  cluster.around = (_, proceed) => proceed();
  assert.equal(await cluster.allocateProducerIds(1), 1);
  delay.resolve();
  await lost;
  assert.equal(await cluster.allocateProducerIds(1), 3, 'the lost call had its effect');
});

test('a held stream delivers later, and a lost one continues with a snapshot', async () => {
  const cluster = new TestCluster();
  const { received, unfollow } = followed(cluster);
  await settle();
  cluster.holdChanges();
  cluster.addTopic('a');
  await settle();
  assert.deepEqual(received.splice(0), ['term 1: ']);
  cluster.releaseChanges();
  assert.deepEqual(received.splice(0), ['topic']);

  cluster.holdChanges();
  cluster.addTopic('b');
  await settle();
  cluster.reconnectFollowers();
  cluster.releaseChanges();
  await settle();
  assert.deepEqual(received.splice(0), ['term 1: a,b']);
  unfollow();
  assert.equal(cluster.followerCount, 0);
});

test('another leader has the durable state, and not the soft one', async () => {
  const cluster = new TestCluster();
  const { received } = followed(cluster);
  cluster.addTopic('t');
  cluster.clock.advance(shutdownLeaseMs);
  const [one, two] = ['one', 'two'].map((agentId) => ({ agentId, group: '', hasIt: false }));
  assert.equal(await cluster.lockShutdown(one!), true);
  await settle();
  cluster.failOver();
  await settle();
  assert.equal(received.at(-1), 'term 2: t');
  assert.equal(await cluster.lockShutdown({ ...two!, hasIt: true }), true, 'it does not know the holder');
});
