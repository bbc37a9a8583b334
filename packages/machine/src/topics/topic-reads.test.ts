import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { encodeFrame } from '@weir/rpc/testing';
import { Cluster } from '../../testing/cluster.ts';
import { Topics } from './topics.ts';

const topicCount = 10_000;

function largeCluster(): Cluster {
  const cluster = new Cluster();
  const configs = { 'retention.ms': '86400000', 'max.message.bytes': '1048588' };
  const topics = Array.from({ length: topicCount }, (_, index) => {
    return { name: `topic-${index}`, partitionCount: 2, configs };
  });
  const topicIds = topics.map((_, index) => `id-${index}`);
  cluster.execute({ kind: 'createTopics', topics, topicIds, validateOnly: false });
  return cluster;
}

/** Counts lookups of single topics and scans of all topics. */
function countVisits(t: TestContext) {
  const found = [t.mock.method(Topics.prototype, 'byId'), t.mock.method(Topics.prototype, 'byName')];
  const all = [t.mock.method(Topics.prototype, 'live'), t.mock.method(Topics.prototype, 'held')];
  const sumOf = (mocks: typeof found | typeof all) =>
    mocks.reduce((sum, { mock }) => sum + mock.callCount(), 0);
  return { found: () => sumOf(found), all: () => sumOf(all) };
}

function answerBytes(answer: unknown): number {
  return encodeFrame('result', 1, answer).length;
}

test('reading a few topics of a large cluster visits no others, and answers are small', (t) => {
  const { machine } = largeCluster();
  assert.ok(answerBytes(machine.snapshotForFollowers()) > topicCount * 100);
  const visits = countVisits(t);

  const [topic, none] = machine.describeTopics([{ name: 'topic-7' }, { topicId: 'id-none' }]);
  assert.deepEqual([topic!.topicId, topic!.configs['retention.ms'], none], ['id-7', '86400000', null]);
  assert.deepEqual([visits.found(), visits.all()], [2, 0]);
  assert.ok(answerBytes([topic, none]) < 1_000);

  const ends = machine.describePartitions([{ topicId: 'id-7' }, { name: 'topic-7' }, { name: 'none' }]);
  assert.deepEqual(
    ends.topics.map(({ name }) => name),
    ['topic-7'],
  );
  assert.deepEqual(ends.nextOffset, new Float64Array(2));
  assert.deepEqual([visits.found(), visits.all()], [5, 0]);
  assert.ok(answerBytes(ends) < 1_000);

  assert.deepEqual(machine.countResources(), {
    topics: topicCount,
    partitions: topicCount * 2,
    acls: 0,
    clientQuotas: 0,
    credentials: 0,
  });
  assert.deepEqual(machine.clusterConfigs(), {});
  assert.deepEqual([visits.found(), visits.all()], [5, 0]);
});

test('a deleted topic is no longer described', () => {
  const cluster = new Cluster();
  const topicId = 'orders';
  cluster.create(topicId);
  cluster.delete(topicId);
  assert.deepEqual(cluster.machine.describeTopics([{ topicId }, { name: 'orders' }]), [null, null]);
  assert.deepEqual(cluster.machine.describePartitions([{ topicId }]).topics, []);
  assert.equal(cluster.machine.countResources().topics, 0);
});
