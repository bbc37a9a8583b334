import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationBits, operationsOfResource } from '@weir/core';
import { settle } from '@weir/core/testing';
import { zeroUuid } from '@weir/wire';
import { testAgent } from '../../testing/agent.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';
import { brokerLimits } from '../limits.ts';
import { FairQueue } from '../pressure/fair-queue.ts';

const everyVersion = Array.from({ length: 14 }, (_, version) => version);

test('every version returns agents, topics and leaders', async () => {
  const { call, cluster } = await startTestAgent();
  const topic = cluster.addTopic('orders', 3);
  for (const version of everyVersion) {
    const answer = answered(await call('Metadata', version, { topics: [{ name: 'orders' }] }));
    const agent = testAgent('agent-1');
    assert.deepEqual(
      answer.brokers.map(({ nodeId, host, port }) => ({ nodeId, host, port })),
      [{ nodeId: agent.nodeId, host: 'agent-1.test', port: 9092 }],
    );
    const [described] = answer.topics;
    assert.equal(described?.errorCode, 0);
    assert.equal(described.name, 'orders');
    assert.equal(described.topicId, version >= 10 ? topic.topicId : zeroUuid);
    assert.deepEqual(
      described.partitions.map(({ partitionIndex, leaderId }) => [partitionIndex, leaderId]),
      [0, 1, 2].map((index) => [index, agent.nodeId]),
    );
    for (const partition of described.partitions) {
      assert.equal(partition.leaderEpoch, version >= 7 ? 0 : -1);
      assert.deepEqual(partition.replicaNodes, [agent.nodeId]);
      assert.deepEqual(partition.isrNodes, partition.replicaNodes);
    }
    if (version >= 1) assert.equal(answer.brokers[0]!.rack, 'service-fake-rack');
    if (version >= 1) assert.equal(answer.controllerId, agent.nodeId);
    if (version >= 2) assert.equal(answer.clusterId, 'vci_test');
  }
});

test('null and the empty list of topics depend on the version', async () => {
  const { call, cluster } = await startTestAgent();
  cluster.addTopic('a');
  cluster.addTopic('b');
  // version, requested topics, topics in the response
  const cases: [version: number, topics: { name: string }[] | null, names: string[]][] = [
    [0, [], ['a', 'b']],
    [1, [], []],
    [1, null, ['a', 'b']],
    [13, [], []],
    [13, null, ['a', 'b']],
    [5, [{ name: 'b' }, { name: 'b' }], ['b']],
  ];
  for (const [version, topics, names] of cases) {
    const answer = answered(await call('Metadata', version, { topics }));
    assert.deepEqual(
      answer.topics.map(({ name }) => name),
      names,
      `v${version} ${JSON.stringify(topics)}`,
    );
  }
});

test('topics that do not exist', async () => {
  const { call, cluster } = await startTestAgent({
    clusterConfigs: { 'auto.create.topics.enable': 'false' },
  });
  const { topicId } = cluster.addTopic('here');
  const otherId = Buffer.alloc(16, 1).toString('base64url');
  // version, requested topic, error, name in the response
  const cases: [
    number,
    { name: string | null; topicId?: string },
    Parameters<typeof codeOf>[0],
    string | null,
  ][] = [
    [0, { name: 'gone' }, 'UNKNOWN_TOPIC_OR_PARTITION', 'gone'],
    [13, { name: 'gone' }, 'UNKNOWN_TOPIC_OR_PARTITION', 'gone'],
    [9, { name: 'not allowed' }, 'INVALID_TOPIC_EXCEPTION', 'not allowed'],
    [9, { name: '..' }, 'INVALID_TOPIC_EXCEPTION', '..'],
    [9, { name: '' }, 'INVALID_TOPIC_EXCEPTION', ''],
    [9, { name: 'n'.repeat(250) }, 'INVALID_TOPIC_EXCEPTION', 'n'.repeat(250)],
    [12, { name: null, topicId }, 'NONE', 'here'],
    [12, { name: null, topicId: otherId }, 'UNKNOWN_TOPIC_ID', null],
    [11, { name: null, topicId }, 'INVALID_REQUEST', ''],
    [12, { name: null }, 'INVALID_REQUEST', null],
  ];
  for (const [version, requested, error, name] of cases) {
    const { topics } = answered(await call('Metadata', version, { topics: [requested] }));
    assert.deepEqual(
      topics.map((topic) => [topic.errorCode, topic.name]),
      [[codeOf(error), name]],
      `v${version} ${JSON.stringify(requested)}`,
    );
  }
});

test('a request is refused as a whole if its version does not serve how a topic is named', async () => {
  const { call, cluster } = await startTestAgent();
  const { topicId } = cluster.addTopic('here');
  for (const topic of [{ name: null, topicId }, { name: 'here', topicId }, { name: null }]) {
    const answer = answered(
      await call('Metadata', 11, { topics: [topic, { name: 'new' }], allowAutoTopicCreation: true }),
    );
    assert.deepEqual([answer.brokers, answer.clusterId, answer.controllerId], [[], null, -1]);
    assert.deepEqual(
      answer.topics.map(({ name, errorCode }) => [name, errorCode]),
      [topic.name ?? '', 'new'].map((name) => [name, codeOf('INVALID_REQUEST')]),
    );
  }
  const nameless = answered(await call('Metadata', 13, { topics: [{ name: null }, { name: 'here' }] }));
  assert.deepEqual([nameless.brokers, nameless.errorCode], [[], codeOf('INVALID_REQUEST')]);
  const request = { topics: [{ name: 'new' }], allowAutoTopicCreation: false };
  const [left] = answered(await call('Metadata', 11, request)).topics;
  assert.equal(left!.errorCode, codeOf('UNKNOWN_TOPIC_OR_PARTITION'));
});

test('missing topics are created if client and cluster both allow it', async () => {
  const cases: [flag: boolean, config: string | undefined, error: Parameters<typeof codeOf>[0]][] = [
    [true, undefined, 'NONE'],
    [true, 'true', 'NONE'],
    [false, 'true', 'UNKNOWN_TOPIC_OR_PARTITION'],
    [true, 'false', 'UNKNOWN_TOPIC_OR_PARTITION'],
  ];
  for (const [allowAutoTopicCreation, config, error] of cases) {
    const { call, view } = await startTestAgent({
      clusterConfigs: {
        'num.partitions': '2',
        ...(config === undefined ? {} : { 'auto.create.topics.enable': config }),
      },
    });
    const request = { topics: [{ name: 'new' }], allowAutoTopicCreation };
    const { topics } = answered(await call('Metadata', 9, request));
    assert.equal(topics[0]!.errorCode, codeOf(error));
    assert.equal(topics[0]!.partitions.length, error === 'NONE' ? 2 : 0);
    assert.equal(view.topicByName('new')?.partitionCount, error === 'NONE' ? 2 : undefined);
  }
});

test('without the cache of topics the leader is asked, and what it has done before is shown', async () => {
  for (const metadataAsksLeader of [true, false]) {
    const { call, cluster } = await startTestAgent({ metadataAsksLeader });
    cluster.around = (name, proceed) => {
      // Changes arrive before the answer to a call that came after them.
      if (name === 'describeJournal') cluster.releaseChanges();
      return proceed();
    };
    cluster.holdChanges();
    cluster.addTopic('new');
    const request = { topics: [{ name: 'new' }], allowAutoTopicCreation: false };
    const { topics } = answered(await call('Metadata', 9, request));
    const error = metadataAsksLeader ? 'NONE' : 'UNKNOWN_TOPIC_OR_PARTITION';
    assert.equal(topics[0]!.errorCode, codeOf(error), String(metadataAsksLeader));
    assert.equal(cluster.calls.describeJournal, metadataAsksLeader ? 1 : 0);
    cluster.unavailable = true;
    answered(await call('Metadata', 9, request));
  }
});

test('a topic that cannot be created now is LEADER_NOT_AVAILABLE', async () => {
  const { call, cluster } = await startTestAgent();
  cluster.unavailable = true;
  const { topics } = answered(await call('Metadata', 9, { topics: [{ name: 'new' }] }));
  assert.equal(topics[0]!.errorCode, codeOf('LEADER_NOT_AVAILABLE'));
  cluster.unavailable = false;
  cluster.holdChanges();
  cluster.addTopic('raced');
  const raced = answered(await call('Metadata', 9, { topics: [{ name: 'raced' }] }));
  assert.equal(raced.topics[0]!.errorCode, codeOf('LEADER_NOT_AVAILABLE'));
});

test('requests that create topics hold up no others, and wait for a second at most', async () => {
  const metadataQueue = new FairQueue({ runningMax: 1, waitingMax: 1_000 });
  const { call, cluster, clock } = await startTestAgent({ metadataQueue });
  cluster.addTopic('here');
  const creations: (() => void)[] = [];
  cluster.around = async (name, proceed) => {
    if (name === 'createTopics') await new Promise<void>((resolve) => creations.push(resolve));
    return proceed();
  };
  const ask = async (name: string) => {
    const { topics } = answered(await call('Metadata', 9, { topics: [{ name }] }));
    return topics[0]!.errorCode;
  };
  const { autoCreationsMax, autoCreationWaitMsMax } = brokerLimits;
  const creating = Array.from({ length: autoCreationsMax }, (_, index) => ask(`new-${index}`));
  await settle();
  const late = ask('late');
  assert.equal(await ask('here'), 0);
  assert.equal(creations.length, autoCreationsMax);
  clock.advance(autoCreationWaitMsMax + 1);
  for (const create of creations) create();
  assert.ok((await Promise.all(creating)).every((code) => code === 0));
  assert.equal(await late, codeOf('LEADER_NOT_AVAILABLE'));
  assert.equal(creations.length, autoCreationsMax);
});

test('one request creates a limited number of topics, in one call', async () => {
  const { call, cluster } = await startTestAgent();
  const names = Array.from({ length: 150 }, (_, index) => ({ name: `t${index}` }));
  const { topics } = answered(await call('Metadata', 9, { topics: names }));
  assert.equal(topics.filter(({ errorCode }) => errorCode === 0).length, 100);
  assert.equal(cluster.calls.createTopics, 1);
});

test('a client sees agents of its zone and group that have the roles it needs', async () => {
  const self = testAgent('self', { zone: 'zone-a' });
  const agents = [
    self,
    testAgent('near', { zone: 'zone-b' }),
    testAgent('far', { zone: 'zone-c' }),
    testAgent('writer', { zone: 'zone-c', roles: ['proxy-produce'] }),
    testAgent('worker', { zone: 'zone-b', roles: ['jobs'] }),
    testAgent('foreign', { zone: 'zone-b', group: 'other' }),
  ];
  const { call } = await startTestAgent({ self, agents });
  const cases: [clientId: string | null, hosts: string[]][] = [
    [null, ['far', 'near', 'self']],
    ['app', ['far', 'near', 'self']],
    ['app,ws_az=zone-b', ['near']],
    ['app,ws_az=zone-z', ['far', 'near', 'self']],
    ['service_az=zone-c,service_proxy_target=proxy-produce', ['far', 'writer']],
    ['service_az=zone-c,service_proxy_target=proxy-consume', ['far']],
  ];
  for (const [clientId, hosts] of cases) {
    const answer = answered(await call('Metadata', 9, { topics: [] }, clientId));
    assert.deepEqual(
      answer.brokers.map(({ host }) => host.replace('.test', '')).sort(),
      hosts,
      String(clientId),
    );
    assert.ok(answer.brokers.some(({ nodeId }) => nodeId === answer.controllerId));
  }
});

test('every leader and replica is among the brokers', async () => {
  const agents = ['a', 'b', 'c', 'd'].map((id) => testAgent(id));
  const { call, cluster } = await startTestAgent({ self: agents[0]!, agents });
  cluster.addTopic('wide', 40);
  const answer = answered(await call('Metadata', 9, { topics: null }));
  const nodeIds = answer.brokers.map(({ nodeId }) => nodeId);
  for (const { leaderId, replicaNodes } of answer.topics[0]!.partitions) {
    assert.equal(replicaNodes[0], leaderId);
    assert.equal(new Set(replicaNodes).size, 3);
    assert.ok(replicaNodes.every((nodeId) => nodeIds.includes(nodeId)));
  }
});

test('a topic shows as many distinct replicas as its replication factor or the number of agents', async () => {
  const agents = ['one', 'two', 'three', 'four'].map((agentId) => testAgent(agentId));
  const { call, cluster } = await startTestAgent({ agents });
  const factors = { usual: -1, single: 1, both: 2, many: 9 };
  await cluster.createTopics(
    Object.entries(factors).map(([name, replicationFactor]) => ({
      name,
      partitionCount: 8,
      replicationFactor,
      configs: {},
    })),
    { validateOnly: false },
  );
  const topics = Object.keys(factors).map((name) => ({ name }));
  const metadata = answered(
    await call('Metadata', 13, {
      topics: topics.map((topic) => ({ ...topic, topicId: zeroUuid })),
      allowAutoTopicCreation: false,
    }),
  );
  const described = answered(
    await call('DescribeTopicPartitions', 0, { topics, responsePartitionLimit: 2000, cursor: null }),
  );
  for (const { topics: reported } of [metadata, described]) {
    assert.equal(reported.length, 4);
    for (const { name, partitions } of reported) {
      for (const { leaderId, replicaNodes, isrNodes } of partitions) {
        assert.equal(replicaNodes[0], leaderId);
        assert.deepEqual(isrNodes, replicaNodes);
        assert.equal(new Set(replicaNodes).size, replicaNodes.length);
        assert.equal(replicaNodes.length, { usual: 3, single: 1, both: 2, many: 4 }[name!]);
      }
    }
  }
});

test('a client can override hosts, skip leader epochs and request authorized operations', async () => {
  const agents = ['a', 'b'].map((id) => testAgent(id));
  const { call, cluster } = await startTestAgent({ self: agents[0]!, agents });
  cluster.addTopic('t');
  const clientId = 'x,ws_host_override=kafka.example.com,ws_sle=true';
  const request = { topics: null, includeTopicAuthorizedOperations: true };
  const { brokers, topics } = answered(await call('Metadata', 9, request, clientId));
  assert.deepEqual(
    brokers.map(({ host }) => host.toLowerCase()),
    ['kafka.example.com', 'kafka.example.com'],
  );
  assert.notEqual(brokers[0]!.host, brokers[1]!.host);
  assert.equal(topics[0]!.partitions[0]!.leaderEpoch, -1);
  assert.equal(topics[0]!.topicAuthorizedOperations, operationBits(operationsOfResource.TOPIC));
});
