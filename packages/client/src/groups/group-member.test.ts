import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startLocalCluster } from '@weir/cli/testing';
import { systemClock } from '@weir/core';
import { errors } from '@weir/wire';
import { FakeKafka, type FakeKafkaOptions } from '../../testing/fake-kafka.ts';
import { KafkaCluster } from '../cluster.ts';
import { committedOffsets } from './committed-offsets.ts';
import { GroupMember } from './group-member.ts';

function clusterAt(t: TestContext, port: number): KafkaCluster {
  const cluster = new KafkaCluster({
    bootstrap: [{ host: '127.0.0.1', port }],
    clientId: 'test',
    timeoutMs: 10_000,
    clock: systemClock,
    stop: new AbortController().signal,
  });
  t.after(() => cluster.close());
  return cluster;
}

const options = { groupId: 'g', topicName: 'orders', sessionTimeoutMs: 30_000, rebalanceTimeoutMs: 30_000 };

test('members share the partitions, and when one leaves the other gets its partitions', async (t) => {
  const { port, weir } = await startLocalCluster(t);
  await weir('cli create-topic -topic orders -partitions 3');
  const [clusterA, clusterB] = [clusterAt(t, port), clusterAt(t, port)];
  const [a, b] = [new GroupMember(clusterA, options), new GroupMember(clusterB, options)];

  assert.deepEqual(await a.join(), [0, 1, 2]);
  assert.equal(await a.heartbeat(), 'stable');
  assert.equal(await a.commit(new Map([[2, 7n]])), 'stable');
  assert.deepEqual(await committedOffsets(clusterA, 'g'), new Map([['orders', new Map([[2, 7n]])]]));

  const joiningB = b.join();
  while ((await a.heartbeat()) === 'stable');
  const [partsA, partsB] = await Promise.all([a.join(), joiningB]);
  assert.deepEqual([...partsA, ...partsB].sort(), [0, 1, 2]);
  assert.deepEqual([partsA.length, partsB.length].sort(), [1, 2]);

  await a.leave(clusterA);
  while ((await b.heartbeat()) === 'stable');
  assert.deepEqual(await b.join(), [0, 1, 2]);
  await b.leave(clusterB);
});

test('the answer of the coordinator decides whether a member continues', async (t) => {
  let code: number = errors.NONE.code;
  const script: FakeKafkaOptions['script'] = { Heartbeat: () => ({ errorCode: code }) };
  const fake = await FakeKafka.start({ script });
  t.after(() => fake.stop());
  const member = new GroupMember(clusterAt(t, fake.port()), options);
  const cases = [
    ['NONE', 'stable'],
    ['REBALANCE_IN_PROGRESS', 'rebalancing'],
    ['ILLEGAL_GENERATION', 'rebalancing'],
    ['UNKNOWN_MEMBER_ID', 'rebalancing'],
    // The coordinator is only temporarily unavailable, and the session lasts for a while.
    ['COORDINATOR_LOAD_IN_PROGRESS', 'stable'],
    ['NOT_COORDINATOR', 'stable'],
  ] as const;
  for (const [error, membership] of cases) {
    code = errors[error].code;
    assert.equal(await member.heartbeat(), membership, error);
  }
  code = errors.GROUP_AUTHORIZATION_FAILED.code;
  await assert.rejects(member.heartbeat(), /group g: GROUP_AUTHORIZATION_FAILED/);
});
