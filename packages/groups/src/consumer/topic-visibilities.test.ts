import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConsumerHeartbeat, TopicReader } from '@weir/cluster';
import type { Acl } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';
import { createTopic, GroupWorld, withoutDelay } from '@weir/metadata/testing';
import { unchangedHeartbeat } from '../../testing/consumer-story.ts';

const failoverMs = 5_000;
/** Longer than the time in which ACL changes are batched. */
const settleMs = 2_000;

const alice: TopicReader = { principals: ['User:alice', 'User:ccn_alice'], host: '10.0.0.1' };

function rule(resourceName: string, difference: Partial<Acl> = {}): Acl {
  return {
    resourceType: 'TOPIC',
    resourceName,
    patternType: 'LITERAL',
    principal: 'User:alice',
    host: '*',
    operation: 'DESCRIBE',
    permission: 'ALLOW',
    ...difference,
  };
}

const unchanged: Omit<ConsumerHeartbeat, 'groupId' | 'memberEpoch'> = {
  ...unchangedHeartbeat,
  memberId: 'member',
  clientHost: '/10.0.0.1',
};

/** A cluster with three topics, where every client subscribes to all and has its own group. */
class Stage {
  readonly world = new GroupWorld();
  readonly #nameOf = new Map<string, string>();

  async start(): Promise<ClusterNode> {
    const { node } = await this.world.start('a');
    await withoutDelay(node);
    for (const name of ['orders', 'orders-eu', 'payroll']) await this.addTopic(node, name);
    return node;
  }

  async addTopic(node: ClusterNode, name: string): Promise<void> {
    this.#nameOf.set(await createTopic(node, name, 1), name);
  }

  async join(node: ClusterNode, groupId: string, reader?: TopicReader): Promise<string> {
    const joining = { rebalanceTimeoutMs: 60_000, ownedPartitions: [], subscribedTopicRegex: '.*', reader };
    await node.consumerGroupHeartbeats([{ ...unchanged, ...joining, groupId, memberEpoch: 0 }]);
    return this.given(node, groupId);
  }

  /** Sends a heartbeat without changes. */
  async stay(node: ClusterNode, groupId: string): Promise<string> {
    const [group] = await node.describeConsumerGroups([groupId]);
    const memberEpoch = group!.members[0]!.epoch;
    await node.consumerGroupHeartbeats([{ ...unchanged, groupId, memberEpoch }]);
    return this.given(node, groupId);
  }

  /** The topics in the target of a group's member. */
  async given(node: ClusterNode, groupId: string): Promise<string> {
    const [group] = await node.describeConsumerGroups([groupId]);
    const [member] = group!.members;
    assert.equal(member!.subscribedTopicRegex, '.*');
    return member!.target
      .map(({ topicId }) => this.#nameOf.get(topicId)!)
      .sort()
      .join(' ');
  }
}

async function enforce(node: ClusterNode, isEnforced: boolean): Promise<void> {
  await node.execute({
    kind: 'alterClusterConfigs',
    configs: { 'service.acls.enabled': String(isEnforced) },
  });
}

test('a pattern matches the topics that ACLs let its member see', async () => {
  const stage = new Stage();
  const node = await stage.start();
  await enforce(node, true);
  await node.createAcls([
    rule('orders', { patternType: 'PREFIXED', operation: 'READ' }),
    rule('orders-eu', { permission: 'DENY', host: '10.0.0.9' }),
    rule('payroll', { principal: 'User:ccn_bob' }),
    rule('payroll', { principal: 'User:carol', operation: 'DESCRIBE_CONFIGS' }),
    rule('*', { principal: 'User:dora' }),
  ]);
  const cases: [groupId: string, reader: TopicReader | undefined, given: string][] = [
    ['a superuser', undefined, 'orders orders-eu payroll'],
    ['alice', alice, 'orders orders-eu'],
    ['alice from elsewhere', { ...alice, host: '10.0.0.9' }, 'orders'],
    ['bob by another name', { principals: ['User:bob', 'User:ccn_bob'], host: '10.0.0.1' }, 'payroll'],
    ['carol', { principals: ['User:carol'], host: '10.0.0.1' }, ''],
    ['dora', { principals: ['User:dora'], host: '10.0.0.1' }, 'orders orders-eu payroll'],
  ];
  for (const [groupId, reader, given] of cases) assert.equal(await stage.join(node, groupId, reader), given);
  await stage.addTopic(node, 'orders-us');
  assert.equal(
    await stage.stay(node, 'alice'),
    'orders orders-eu orders-us',
    'also for topics created later',
  );
  assert.equal(await stage.stay(node, 'carol'), '');
});

test('changes of ACLs and of their enforcement take effect', async () => {
  const stage = new Stage();
  const node = await stage.start();
  const afterwards = async () => {
    await stage.world.clock.pass(settleMs);
    return stage.stay(node, 'g');
  };
  assert.equal(await stage.join(node, 'g', alice), 'orders orders-eu payroll', 'without rules');
  await enforce(node, true);
  assert.equal(await afterwards(), '', 'topics without an ALLOW rule are denied');
  await node.createAcls([rule('orders'), rule('payroll')]);
  assert.equal(await afterwards(), 'orders payroll');
  await node.deleteAcls([{ ...rule('payroll'), principal: null }]);
  assert.equal(await afterwards(), 'orders');
  await node.createAcls([rule('orders', { permission: 'DENY', host: alice.host })]);
  assert.equal(await afterwards(), '', 'a rule for a host');
  await enforce(node, false);
  assert.equal(await afterwards(), 'orders orders-eu payroll');
});

test('the next leader knows the reader of a pattern', async () => {
  const stage = new Stage();
  const { world } = stage;
  const first = await world.start('a');
  for (const name of ['orders', 'payroll']) await stage.addTopic(first.node, name);
  const standby = await world.start('b');
  await enforce(first.node, true);
  await first.node.createAcls([rule('orders')]);
  assert.equal(await stage.join(first.node, 'g', alice), 'orders');
  first.process.kill();
  await world.clock.pass(failoverMs);
  assert.equal(standby.node.role, 'leader');
  await stage.addTopic(standby.node, 'payroll-eu');
  assert.equal(await stage.stay(standby.node, 'g'), 'orders');
  await standby.node.createAcls([rule('payroll')]);
  await world.clock.pass(settleMs);
  assert.equal(await stage.stay(standby.node, 'g'), 'orders payroll');
});
