import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeConfigs } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import type { ErrorName } from '@weir/wire';
import { zeroUuid } from '@weir/wire';
import { startLeaderAgent } from '../../testing/leader-agent.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';
import { errorName } from '../../testing/transactional-client.ts';
import { brokerLimits } from '../limits.ts';

interface Wanted {
  readonly name: string;
  readonly numPartitions?: number;
  readonly replicationFactor?: number;
  readonly assignments?: { partitionIndex: number; brokerIds: number[] }[];
  readonly configs?: { name: string; value: string | null }[];
}

function wanted(topic: Wanted) {
  return { numPartitions: 1, replicationFactor: 1, assignments: [], configs: [], ...topic };
}

const allConfigs = describeConfigs('topic', { texts: {}, clusterTexts: {}, agentTexts: {}, names: null });

test('every version creates topics and returns the fields that it has', async () => {
  for (const version of [2, 3, 4, 5, 6, 7]) {
    const { call, view } = await startTestAgent();
    const configs = [{ name: 'retention.ms', value: '1000' }];
    const request = { topics: [wanted({ name: 't', numPartitions: 4, replicationFactor: 2, configs })] };
    const { topics } = answered(await call('CreateTopics', version, request));
    const [created] = topics;
    const topic = view.topicByName('t');
    assert.equal(created?.errorCode, 0);
    assert.equal(topic?.partitionCount, 4);
    assert.deepEqual(topic.configs, { 'retention.ms': '1000' });
    assert.equal(created.numPartitions, version >= 5 ? 4 : -1);
    assert.equal(created.replicationFactor, version >= 5 ? 2 : -1);
    const described = new Map(created.configs?.map((one) => [one.name, [one.value, one.configSource]]));
    // All configs, set or not: 1 is that of the topic, 5 a default.
    assert.deepEqual(described.get('retention.ms'), version >= 5 ? ['1000', 1] : undefined);
    assert.deepEqual(described.get('cleanup.policy'), version >= 5 ? ['delete', 5] : undefined);
    assert.equal(described.size, version >= 5 ? allConfigs.length : 0);
    assert.equal(created.topicId, version >= 7 ? topic.topicId : zeroUuid);
  }
});

test('valid and invalid topics', async () => {
  const brokerIds = [1];
  const assigned = { numPartitions: -1, replicationFactor: -1 };
  const cases: [topic: Wanted, error: ErrorName, partitions?: number][] = [
    [{ name: 'default', numPartitions: -1, replicationFactor: -1 }, 'NONE', 1],
    [{ name: 'any-factor', replicationFactor: 99 }, 'NONE', 1],
    [{ name: 'no-factor', replicationFactor: 0 }, 'INVALID_REPLICATION_FACTOR'],
    [{ name: 'bad-factor', replicationFactor: -2 }, 'INVALID_REPLICATION_FACTOR'],
    [{ name: 'none', numPartitions: 0 }, 'INVALID_PARTITIONS'],
    [{ name: 'negative', numPartitions: -2 }, 'INVALID_PARTITIONS'],
    [{ name: 'huge', numPartitions: 2_147_483_647 }, 'INVALID_PARTITIONS'],
    [{ name: 'exists' }, 'TOPIC_ALREADY_EXISTS'],
    [{ name: 'ex.ists.too' }, 'NONE', 1],
    [{ name: 'not allowed' }, 'INVALID_TOPIC_EXCEPTION'],
    [{ name: 'unset', configs: [{ name: 'retention.ms', value: null }] }, 'INVALID_CONFIG'],
    [{ name: 'bad-config', configs: [{ name: 'service.nonsense', value: '1' }] }, 'INVALID_CONFIG'],
    [
      {
        name: 'assigned',
        ...assigned,
        assignments: [
          { partitionIndex: 1, brokerIds },
          { partitionIndex: 0, brokerIds },
        ],
      },
      'NONE',
      2,
    ],
    [
      { name: 'gap', ...assigned, assignments: [{ partitionIndex: 1, brokerIds }] },
      'INVALID_REPLICA_ASSIGNMENT',
    ],
    [
      {
        name: 'uneven',
        ...assigned,
        assignments: [
          { partitionIndex: 0, brokerIds: [1, 2] },
          { partitionIndex: 1, brokerIds: [1] },
        ],
      },
      'INVALID_REPLICA_ASSIGNMENT',
    ],
    [
      { name: 'same', ...assigned, assignments: [{ partitionIndex: 0, brokerIds: [1, 1] }] },
      'INVALID_REPLICA_ASSIGNMENT',
    ],
    [
      { name: 'nobody', ...assigned, assignments: [{ partitionIndex: 0, brokerIds: [] }] },
      'INVALID_REPLICA_ASSIGNMENT',
    ],
    [{ name: 'both', assignments: [{ partitionIndex: 0, brokerIds }] }, 'INVALID_REQUEST'],
    // Of several mistakes, those of names and configs are reported first, as by Apache Kafka.
    [{ name: 'exists-too', replicationFactor: 0 }, 'TOPIC_ALREADY_EXISTS'],
    [{ name: 'not allowed either', numPartitions: 0 }, 'INVALID_TOPIC_EXCEPTION'],
    [
      { name: 'two', numPartitions: 0, configs: [{ name: 'service.nonsense', value: '1' }] },
      'INVALID_CONFIG',
    ],
    [
      { name: 'unset-too', numPartitions: 0, configs: [{ name: 'retention.ms', value: null }] },
      'INVALID_CONFIG',
    ],
  ];
  const { call, cluster, view } = await startTestAgent();
  for (const name of ['exists', 'exists-too']) cluster.addTopic(name);
  const request = { topics: cases.map(([topic]) => wanted(topic)) };
  const { topics } = answered(await call('CreateTopics', 7, request));
  for (const [index, [topic, error, partitions]] of cases.entries()) {
    assert.equal(topics[index]!.name, topic.name);
    assert.equal(topics[index]!.errorCode, codeOf(error), topic.name);
    if (error !== 'TOPIC_ALREADY_EXISTS')
      assert.equal(view.topicByName(topic.name)?.partitionCount, partitions);
    if (error !== 'NONE') assert.ok(topics[index]!.errorMessage, topic.name);
  }
  assert.equal(cluster.calls.createTopics, 2, 'one for what is created, one about what is refused');
});

test('a topic that is named twice is answered once and not created', async () => {
  const { call, view } = await startTestAgent();
  const request = { topics: [wanted({ name: 'a' }), wanted({ name: 'b' }), wanted({ name: 'a' })] };
  const { topics } = answered(await call('CreateTopics', 5, request));
  assert.deepEqual(
    topics.map(({ name, errorCode }) => [name, errorCode]),
    [
      ['a', codeOf('INVALID_REQUEST')],
      ['b', 0],
    ],
  );
  assert.equal(view.topicByName('a'), undefined);
});

test('validateOnly creates nothing', async () => {
  const { call, view } = await startTestAgent();
  const request = { topics: [wanted({ name: 'a', numPartitions: 3 })], validateOnly: true };
  const { topics } = answered(await call('CreateTopics', 7, request));
  assert.deepEqual([topics[0]!.errorCode, topics[0]!.numPartitions, topics[0]!.topicId], [0, 3, zeroUuid]);
  assert.equal(view.topicByName('a'), undefined);
});

test('topics of one request are compared with each other, with validateOnly as without', async () => {
  const full = { name: 'full', numPartitions: coreLimits.partitionsPerClusterMax - 1 };
  // As many as the control plane is asked about at a time.
  const others = Array.from(
    { length: brokerLimits.entriesPerTurnMax },
    (_, at): Wanted => ({
      name: `refused-${at}`,
      configs: [{ name: 'retention.ms', value: 'never' }],
    }),
  );
  const cases: { what: string; topics: Wanted[]; refused: Record<string, ErrorName> }[] = [
    {
      what: 'names that collide in one part',
      topics: [{ name: 'a.b' }, { name: 'a_b' }, { name: 'c' }],
      refused: { a_b: 'INVALID_TOPIC_EXCEPTION' },
    },
    {
      what: 'names that collide in different parts',
      topics: [{ name: 'a.b' }, ...others, { name: 'a_b' }, { name: 'c' }],
      refused: { a_b: 'INVALID_TOPIC_EXCEPTION' },
    },
    {
      what: 'a name that collides with one that was refused',
      topics: [
        { name: 'a.b', configs: [{ name: 'retention.ms', value: 'never' }] },
        ...others,
        { name: 'a_b' },
      ],
      refused: { 'a.b': 'INVALID_CONFIG' },
    },
    {
      what: 'a name twice, in different parts',
      topics: [{ name: 'a' }, ...others, { name: 'b' }, { name: 'a' }],
      refused: { a: 'INVALID_REQUEST' },
    },
    {
      what: 'more partitions than a cluster has, in one part',
      topics: [full, { name: 'more', numPartitions: 2 }, { name: 'few' }],
      refused: { more: 'POLICY_VIOLATION' },
    },
    {
      what: 'more partitions than a cluster has, in different parts',
      topics: [full, ...others, { name: 'more', numPartitions: 2 }, { name: 'few' }],
      refused: { more: 'POLICY_VIOLATION' },
    },
  ];
  for (const { what, topics, refused } of cases) {
    for (const validateOnly of [true, false]) {
      await using agent = await startLeaderAgent();
      const request = { topics: topics.map(wanted), validateOnly, timeoutMs: 0 };
      const answer = answered(await agent.call('CreateTopics', 7, request));
      const failed = answer.topics
        .filter(({ name, errorCode }) => errorCode !== 0 && !name.startsWith('refused-'))
        .map(({ name, errorCode }) => [name, errorName(errorCode)]);
      assert.deepEqual(Object.fromEntries(failed), refused, `${what}, validateOnly ${validateOnly}`);
    }
  }
});

test('NOT_CONTROLLER if the control plane is unavailable', async () => {
  const { call, cluster } = await startTestAgent();
  cluster.unavailable = true;
  const { topics } = answered(await call('CreateTopics', 7, { topics: [wanted({ name: 'a' })] }));
  assert.equal(topics[0]!.errorCode, codeOf('NOT_CONTROLLER'));
});
