import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, errorName, type LeaderAgent, startLeaderAgent } from '@weir/broker/testing';
import { clusterResourceName, operationBits } from '@weir/core';
import { pause } from '@weir/core/testing';
import { type Permit, ScriptedAccess } from '../../testing/scripted-access.ts';
import { type Access, fullAccess, operationsNotRequested } from '../access.ts';
import { type ClientSession, openSession } from '../session/client-session.ts';

interface Stage extends AsyncDisposable {
  readonly agent: LeaderAgent;
  readonly call: LeaderAgent['call'];
  /** Permits only these operations from now on. */
  permit(...permits: Permit[]): ScriptedAccess;
  permitAll(): void;
}

/** Starts a cluster with two topics; the groups have committed offset 7 in their first partitions. */
async function setStage({ groups = ['ours', 'theirs'] } = {}): Promise<Stage> {
  let access: Access = fullAccess();
  const agent = await startLeaderAgent({}, { accessOf: () => access });
  await agent.addTopic('orders');
  await agent.addTopic('secrets');
  for (const groupId of groups) await agent.call('OffsetCommit', 9, commitOf(groupId));
  return {
    agent,
    call: agent.call,
    permit(...permits) {
      const scripted = new ScriptedAccess(permits);
      access = scripted;
      return scripted;
    },
    permitAll() {
      access = fullAccess();
    },
    [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose](),
  };
}

const topicNames = ['orders', 'secrets', 'dreams'];

function commitOf(groupId: string, committedOffset = 7n) {
  const partitions = [{ partitionIndex: 0, committedOffset, committedMetadata: '' }];
  return {
    groupId,
    generationIdOrMemberEpoch: -1,
    memberId: '',
    topics: ['orders', 'secrets'].map((name) => ({ name, partitions })),
  };
}

test('offsets are committed for topics that the client may read', async () => {
  await using stage = await setStage();
  const { call } = stage;
  const access = stage.permit('READ GROUP ours', 'READ TOPIC orders');
  const partitions = [{ partitionIndex: 0, committedOffset: 9n, committedMetadata: '' }];
  const topics = topicNames.map((name) => ({ name, partitions }));
  const answer = answered(await call('OffsetCommit', 9, { ...commitOf('ours'), topics }));
  assert.deepEqual(
    answer.topics.map(({ name, partitions: [one] }) => [name, errorName(one!.errorCode)]),
    [
      ['orders', 'NONE'],
      ['secrets', 'TOPIC_AUTHORIZATION_FAILED'],
      ['dreams', 'TOPIC_AUTHORIZATION_FAILED'],
    ],
  );
  assert.deepEqual(access.denied, ['READ TOPIC secrets', 'READ TOPIC dreams']);
  stage.permitAll();
  const groups = [{ groupId: 'ours', topics: null }];
  const stored = answered(await call('OffsetFetch', 9, { groups }));
  assert.deepEqual(
    stored.groups[0]!.topics.map(({ name, partitions: [one] }) => [name, one!.committedOffset]),
    [
      ['orders', 9n],
      ['secrets', 7n],
    ],
  );
});

test('offsets are returned for topics that the client may describe', async () => {
  await using stage = await setStage();
  const { call } = stage;
  const access = stage.permit('DESCRIBE GROUP ours', 'DESCRIBE TOPIC orders', 'DESCRIBE TOPIC dreams');
  const requestedTopics = topicNames.map((name) => ({ name, partitionIndexes: [0] }));
  const { groups } = answered(
    await call('OffsetFetch', 9, {
      groups: [
        { groupId: 'ours', topics: requestedTopics },
        { groupId: 'theirs', topics: requestedTopics },
        { groupId: 'ours', topics: null },
      ],
    }),
  );
  assert.deepEqual(
    groups.map(({ errorCode, topics }) => [
      errorName(errorCode),
      topics.map(({ name, partitions: [one] }) => [name, one!.committedOffset, errorName(one!.errorCode)]),
    ]),
    [
      [
        'NONE',
        [
          ['orders', 7n, 'NONE'],
          ['secrets', -1n, 'TOPIC_AUTHORIZATION_FAILED'],
          ['dreams', -1n, 'NONE'],
        ],
      ],
      ['GROUP_AUTHORIZATION_FAILED', []],
      ['NONE', [['orders', 7n, 'NONE']]],
    ],
  );
  assert.deepEqual(access.denied, ['DESCRIBE TOPIC secrets', 'DESCRIBE GROUP theirs']);
});

test('access to coordinators is checked per key', async () => {
  await using stage = await setStage({ groups: [] });
  stage.permit('DESCRIBE GROUP ours', 'DESCRIBE TRANSACTIONAL_ID ours');
  const cases: [keyType: number, ours: string, theirs: string][] = [
    [0, 'NONE', 'GROUP_AUTHORIZATION_FAILED'],
    [1, 'NONE', 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED'],
    [2, 'CLUSTER_AUTHORIZATION_FAILED', 'CLUSTER_AUTHORIZATION_FAILED'],
    [3, 'INVALID_REQUEST', 'INVALID_REQUEST'],
  ];
  for (const [keyType, ...expected] of cases) {
    const { coordinators } = answered(
      await stage.call('FindCoordinator', 6, { keyType, coordinatorKeys: ['ours', 'theirs'] }),
    );
    assert.deepEqual(
      coordinators.map(({ errorCode }) => errorName(errorCode)),
      expected,
      `type ${keyType}`,
    );
    for (const { errorCode, host } of coordinators) assert.equal(host === '', errorCode !== 0);
  }
});

test('groups are described in the order of the request, with authorized operations', async () => {
  await using stage = await setStage();
  stage.permit('DESCRIBE GROUP ours', 'READ GROUP ours', 'DESCRIBE GROUP gone');
  for (const version of [5, 6]) {
    const { groups } = answered(
      await stage.call('DescribeGroups', version, {
        groups: ['theirs', 'ours', 'gone'],
        includeAuthorizedOperations: true,
      }),
    );
    const dead = version === 6 ? operationsNotRequested : operationBits(['DESCRIBE']);
    assert.deepEqual(
      groups.map(({ groupId, errorCode, groupState, authorizedOperations }) => [
        groupId,
        errorName(errorCode),
        groupState,
        authorizedOperations,
      ]),
      [
        ['theirs', 'GROUP_AUTHORIZATION_FAILED', '', operationsNotRequested],
        ['ours', 'NONE', 'Empty', operationBits(['DESCRIBE', 'READ'])],
        ['gone', version === 6 ? 'GROUP_ID_NOT_FOUND' : 'NONE', 'Dead', dead],
      ],
    );
  }
});

test('ListGroups returns groups that the client may describe, or all with DESCRIBE on the cluster', async () => {
  await using stage = await setStage();
  const cases: [permits: Permit[], listed: string[]][] = [
    [[], []],
    [['READ GROUP ours'], []],
    [['DESCRIBE GROUP ours'], ['ours']],
    [[`DESCRIBE CLUSTER ${clusterResourceName}`], ['ours', 'theirs']],
  ];
  for (const [permits, listed] of cases) {
    const access = stage.permit(...permits);
    const { errorCode, groups } = answered(await stage.call('ListGroups', 5, {}));
    assert.deepEqual([errorCode, groups.map(({ groupId }) => groupId).sort()], [0, listed]);
    assert.deepEqual(access.denied, []);
  }
});

test('access to delete groups and offsets is checked individually', async () => {
  await using stage = await setStage();
  stage.permit('DELETE GROUP ours', 'READ TOPIC orders');
  const offsets = answered(
    await stage.call('OffsetDelete', 0, {
      groupId: 'ours',
      topics: topicNames.map((name) => ({ name, partitions: [{ partitionIndex: 0 }] })),
    }),
  );
  assert.equal(offsets.errorCode, 0);
  assert.deepEqual(
    offsets.topics.map(({ name, partitions: [one] }) => [name, errorName(one!.errorCode)]),
    [
      ['orders', 'NONE'],
      ['secrets', 'TOPIC_AUTHORIZATION_FAILED'],
      ['dreams', 'TOPIC_AUTHORIZATION_FAILED'],
    ],
  );
  const groupsNames = ['theirs', 'ours', 'theirs', 'gone'];
  const { results } = answered(await stage.call('DeleteGroups', 2, { groupsNames }));
  assert.deepEqual(
    results.map(({ groupId, errorCode }) => [groupId, errorName(errorCode)]),
    [
      ['theirs', 'GROUP_AUTHORIZATION_FAILED'],
      ['ours', 'NONE'],
      ['gone', 'GROUP_AUTHORIZATION_FAILED'],
    ],
  );
  stage.permitAll();
  const { groups } = answered(await stage.call('ListGroups', 5, {}));
  assert.deepEqual(
    groups.map(({ groupId }) => groupId),
    ['theirs'],
  );
});

test('ConsumerGroupHeartbeat and ConsumerGroupDescribe require DESCRIBE on all topics', async () => {
  await using stage = await setStage({ groups: [] });
  const { call } = stage;
  const beat = async (subscribedTopicNames: string[] | null, memberEpoch = 0) => {
    const answer = answered(
      await call('ConsumerGroupHeartbeat', 1, {
        groupId: 'ours',
        memberId: 'm',
        memberEpoch,
        rebalanceTimeoutMs: 30_000,
        subscribedTopicNames,
        topicPartitions: [],
      }),
    );
    return errorName(answer.errorCode);
  };
  const describe = async () => {
    const groupIds = ['ours', 'theirs'];
    const { groups } = answered(
      await call('ConsumerGroupDescribe', 1, { groupIds, includeAuthorizedOperations: true }),
    );
    return groups.map(({ errorCode, members, authorizedOperations }) => [
      errorName(errorCode),
      members.length,
      authorizedOperations,
    ]);
  };
  stage.permit('READ GROUP ours', 'DESCRIBE TOPIC orders');
  assert.equal(await beat(['orders', 'secrets']), 'TOPIC_AUTHORIZATION_FAILED');
  assert.equal(await beat(['orders', 'dreams']), 'TOPIC_AUTHORIZATION_FAILED');
  assert.equal(await beat(['orders']), 'NONE');
  stage.permit('READ GROUP ours');
  assert.equal(await beat(null, 1), 'NONE');

  const hidden = ['GROUP_AUTHORIZATION_FAILED', 0, operationsNotRequested];
  stage.permit('DESCRIBE GROUP ours', 'DESCRIBE TOPIC orders');
  assert.deepEqual(await describe(), [['NONE', 1, operationBits(['DESCRIBE'])], hidden]);
  const access = stage.permit('DESCRIBE GROUP ours');
  assert.deepEqual(await describe(), [['TOPIC_AUTHORIZATION_FAILED', 0, operationsNotRequested], hidden]);
  assert.deepEqual(access.denied, ['DESCRIBE GROUP theirs', 'DESCRIBE TOPIC orders']);
});

test('a subscription pattern matches only topics that its client may see', async () => {
  const session = (name: string, isSuperuser = false) =>
    openSession({
      remoteAddress: '::ffff:10.0.0.7',
      remotePort: 40_000,
      user: name,
      principalOf: () => ({ name, aliases: ['User:alias'], credentialName: undefined, isSuperuser }),
    });
  const cases: [groupId: string, session: ClientSession, given: string[]][] = [
    ['alice', session('User:alice'), ['news', 'orders']],
    ['bob', session('User:bob'), ['news']],
    ['root', session('User:root', true), ['news', 'orders', 'secrets']],
  ];
  for (const [groupId, client, given] of cases) {
    await using agent = await startLeaderAgent(
      { 'service.acls.enabled': 'true' },
      { accessOf: () => fullAccess(client.principal), session: client },
    );
    const names = new Map<string, string>();
    for (const name of ['news', 'orders', 'secrets']) names.set((await agent.addTopic(name)).topicId, name);
    const rule = { resourceType: 'TOPIC', patternType: 'LITERAL', resourceName: 'orders' } as const;
    const subject = { principal: 'User:alice', host: '10.0.0.7' };
    await agent.node.createAcls([
      { ...rule, ...subject, operation: 'READ', permission: 'ALLOW' },
      {
        ...rule,
        resourceName: 'news',
        principal: 'User:*',
        host: '*',
        operation: 'READ',
        permission: 'ALLOW',
      },
    ]);
    const joined = async () => {
      const { errorCode, assignment } = answered(
        await agent.call('ConsumerGroupHeartbeat', 1, {
          groupId,
          memberId: 'm',
          memberEpoch: 0,
          rebalanceTimeoutMs: 30_000,
          subscribedTopicNames: null,
          subscribedTopicRegex: '.*',
          topicPartitions: [],
        }),
      );
      assert.equal(errorCode, 0);
      return assignment!.topicPartitions.map(({ topicId }) => names.get(topicId));
    };
    // On a busy machine the pattern is matched in several slices, and nothing matches until then.
    let topics = await joined();
    while (topics.length === 0) {
      await pause(1);
      topics = await joined();
    }
    assert.deepEqual(topics.sort(), given, groupId);
  }
});

test('members of share groups and their offsets', async () => {
  await using stage = await setStage({ groups: [] });
  const { call } = stage;
  const memberId = 'AAAAAAAAAAAAAAAAAAAAAQ';
  const beat = async (subscribedTopicNames: string[] | null, memberEpoch = 0) => {
    const member = { groupId: 'ours', memberId, memberEpoch, subscribedTopicNames };
    return errorName(answered(await call('ShareGroupHeartbeat', 1, member)).errorCode);
  };
  const describe = async () => {
    const request = { groupIds: ['ours'], includeAuthorizedOperations: false };
    const { groups } = answered(await call('ShareGroupDescribe', 1, request));
    return errorName(groups[0]!.errorCode);
  };
  const alter = async (names: string[]) => {
    const partitions = [{ partitionIndex: 0, startOffset: 0n }];
    const topics = names.map((topicName) => ({ topicName, partitions }));
    const answer = answered(await call('AlterShareGroupOffsets', 0, { groupId: 'ours', topics }));
    return [
      errorName(answer.errorCode),
      answer.responses.map(({ topicName, partitions: [one] }) => [topicName, errorName(one!.errorCode)]),
    ];
  };
  const offsets = async (names: string[] | null) => {
    const topics = names?.map((topicName) => ({ topicName, partitions: [0] })) ?? null;
    const { groups } = answered(
      await call('DescribeShareGroupOffsets', 1, { groups: [{ groupId: 'ours', topics }] }),
    );
    const [group] = groups;
    return [
      errorName(group!.errorCode),
      group!.topics.map(({ topicName, partitions: [one] }) => [topicName, errorName(one!.errorCode)]),
    ];
  };
  const forget = async (names: string[]) => {
    const topics = names.map((topicName) => ({ topicName }));
    const answer = answered(await call('DeleteShareGroupOffsets', 0, { groupId: 'ours', topics }));
    return [
      errorName(answer.errorCode),
      answer.responses.map(({ topicName, errorCode }) => [topicName, errorName(errorCode)]),
    ];
  };
  stage.permit('READ GROUP ours', 'DESCRIBE TOPIC orders');
  assert.equal(await beat(['orders', 'secrets']), 'TOPIC_AUTHORIZATION_FAILED');
  assert.equal(await beat(['orders']), 'NONE');
  stage.permit('DESCRIBE GROUP ours', 'DESCRIBE TOPIC orders');
  assert.equal(await describe(), 'NONE');
  stage.permit('DESCRIBE GROUP ours');
  assert.equal(await describe(), 'TOPIC_AUTHORIZATION_FAILED');
  stage.permit('READ GROUP ours');
  assert.equal(await beat(null, -1), 'NONE');

  const secretsAreDenied = [
    ['orders', 'NONE'],
    ['secrets', 'TOPIC_AUTHORIZATION_FAILED'],
    ['dreams', 'TOPIC_AUTHORIZATION_FAILED'],
  ];
  stage.permit('READ GROUP ours', 'READ TOPIC orders');
  assert.deepEqual(await alter(topicNames), ['NONE', secretsAreDenied]);
  stage.permitAll();
  assert.deepEqual(await alter(['secrets']), ['NONE', [['secrets', 'NONE']]]);

  stage.permit('DESCRIBE GROUP ours', 'DESCRIBE TOPIC orders');
  assert.deepEqual(await offsets(topicNames), ['NONE', secretsAreDenied]);
  assert.deepEqual(await offsets(null), ['NONE', [['orders', 'NONE']]]);
  stage.permit('DESCRIBE TOPIC orders');
  assert.deepEqual(await offsets(null), ['GROUP_AUTHORIZATION_FAILED', []]);

  stage.permit('READ GROUP ours', 'READ TOPIC orders');
  assert.deepEqual(await forget(topicNames), ['GROUP_AUTHORIZATION_FAILED', []]);
  stage.permit('DELETE GROUP ours', 'READ TOPIC orders');
  assert.deepEqual(await forget(topicNames), ['NONE', secretsAreDenied]);
});

test('access to configs is checked on their topic or group, and otherwise on the cluster', async () => {
  await using stage = await setStage({ groups: [] });
  const resources = [
    { resourceType: 2, resourceName: 'secrets' },
    { resourceType: 2, resourceName: 'orders' },
    { resourceType: 32, resourceName: 'ours' },
    { resourceType: 32, resourceName: 'theirs' },
    { resourceType: 4, resourceName: '' },
    { resourceType: 16, resourceName: 'metrics' },
  ];
  const unknown = { resourceType: 77, resourceName: '' };
  const expected = (onCluster: string, onLogger: string) => [
    'TOPIC_AUTHORIZATION_FAILED',
    'NONE',
    'NONE',
    'GROUP_AUTHORIZATION_FAILED',
    onCluster,
    onLogger,
  ];
  const describe = async (...more: (typeof resources)[number][]) => {
    const requested = [...resources, ...more].map((resource) => ({ ...resource, configurationKeys: null }));
    const { results } = answered(await stage.call('DescribeConfigs', 4, { resources: requested }));
    return results.map(({ errorCode }) => errorName(errorCode));
  };
  const alter = async () => {
    const changed = [...resources, unknown].map((resource) => ({ ...resource, configs: [] }));
    const { responses } = answered(
      await stage.call('IncrementalAlterConfigs', 1, { resources: changed, validateOnly: true }),
    );
    return responses.map(({ errorCode }) => errorName(errorCode));
  };
  const denied = 'CLUSTER_AUTHORIZATION_FAILED';
  stage.permit('DESCRIBE_CONFIGS TOPIC orders', 'DESCRIBE_CONFIGS GROUP ours');
  assert.deepEqual(await describe(), expected(denied, denied));
  // As Apache Kafka answers: one resource of an unknown type refuses all of a description.
  assert.deepEqual(new Set(await describe(unknown)), new Set(['INVALID_REQUEST']));
  stage.permit(
    'DESCRIBE_CONFIGS TOPIC orders',
    'DESCRIBE_CONFIGS GROUP ours',
    `DESCRIBE_CONFIGS CLUSTER ${clusterResourceName}`,
  );
  assert.deepEqual(await describe(), expected('NONE', 'NONE'));
  stage.permit('ALTER_CONFIGS TOPIC orders', 'ALTER_CONFIGS GROUP ours');
  assert.deepEqual(await alter(), [...expected(denied, denied), 'INVALID_REQUEST']);
  stage.permit(
    'ALTER_CONFIGS TOPIC orders',
    'ALTER_CONFIGS GROUP ours',
    `ALTER_CONFIGS CLUSTER ${clusterResourceName}`,
  );
  assert.deepEqual(await alter(), [...expected('NONE', 'NONE'), 'INVALID_REQUEST']);
});

test('operations on the cluster require one permission on it', async () => {
  await using stage = await setStage({ groups: [] });
  const { call } = stage;
  const noUsers = { users: [] };
  const cases: [
    needed: 'DESCRIBE' | 'ALTER' | 'DESCRIBE_CONFIGS' | 'ALTER_CONFIGS',
    ask: () => Promise<number>,
  ][] = [
    ['DESCRIBE', async () => answered(await call('DescribeLogDirs', 4, { topics: null })).errorCode],
    [
      'DESCRIBE',
      async () => answered(await call('ListPartitionReassignments', 0, { topics: null })).errorCode,
    ],
    ['DESCRIBE', async () => answered(await call('DescribeUserScramCredentials', 0, noUsers)).errorCode],
    [
      'ALTER',
      async () =>
        answered(await call('ElectLeaders', 2, { electionType: 0, topicPartitions: null })).errorCode,
    ],
    ['ALTER', async () => answered(await call('AlterPartitionReassignments', 0, { topics: [] })).errorCode],
    [
      'DESCRIBE_CONFIGS',
      async () =>
        answered(await call('DescribeClientQuotas', 1, { components: [], strict: false })).errorCode,
    ],
    ['DESCRIBE_CONFIGS', async () => answered(await call('ListConfigResources', 1, {})).errorCode],
  ];
  for (const [needed, ask] of cases) {
    for (const operation of ['DESCRIBE', 'ALTER', 'DESCRIBE_CONFIGS', 'ALTER_CONFIGS'] as const) {
      stage.permit(`${operation} CLUSTER ${clusterResourceName}`);
      const expected = operation === needed ? 'NONE' : 'CLUSTER_AUTHORIZATION_FAILED';
      assert.equal(errorName(await ask()), expected, `${String(ask)} with ${operation}`);
    }
  }
});

test('authorized operations on the cluster are those that the ACLs allow', async () => {
  await using stage = await setStage({ groups: [] });
  stage.permit(`ALTER CLUSTER ${clusterResourceName}`, `DESCRIBE CLUSTER ${clusterResourceName}`);
  const request = { includeClusterAuthorizedOperations: true };
  const { clusterAuthorizedOperations } = answered(await stage.call('DescribeCluster', 2, request));
  assert.equal(clusterAuthorizedOperations, operationBits(['ALTER', 'DESCRIBE']));
});
