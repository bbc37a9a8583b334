import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { GroupMember, KafkaCluster } from '@weir/client';
import { FakeKafka, type FakeKafkaOptions } from '@weir/client/testing';
import { writeAssignment } from '@weir/cluster';
import { systemClock } from '@weir/core';
import { errors } from '@weir/wire';
import { runLine } from '../../testing/command-run.ts';
import { startLocalCluster } from '../../testing/local-cluster.ts';

/** A member of a group that stays until the test ends. */
async function joined(t: TestContext, port: number, groupId: string, topicName: string) {
  const cluster = new KafkaCluster({
    bootstrap: [{ host: '127.0.0.1', port }],
    clientId: 'reader',
    timeoutMs: 10_000,
    clock: systemClock,
    stop: new AbortController().signal,
  });
  t.after(() => cluster.close());
  const timeouts = { sessionTimeoutMs: 30_000, rebalanceTimeoutMs: 30_000 };
  const member = new GroupMember(cluster, { groupId, topicName, ...timeouts });
  await member.join();
  return member;
}

test('a group is described with its members, and its lag by partition', async (t) => {
  const { port, weir } = await startLocalCluster(t);
  await weir('cli create-topic -topic orders -partitions 2');
  await weir('cli produce -topic orders -partition 0 -records a,,b,,c');
  await weir('cli produce -topic orders -partition 1 -records d,,e');
  const member = await joined(t, port, 'billing', 'orders');
  await member.commit(new Map([[0, 1n]]));

  const all = await weir('cli describe-groups');
  assert.equal(all.status, 0, all.err);
  assert.match(
    all.out,
    /^GROUP +TYPE +STATE +ASSIGNOR +MEMBERS +COORDINATOR\nbilling +classic +Stable +range +1 +\d+ \(localhost:\d+\)\n$/,
  );
  const one = await weir('cli describe-groups -group billing');
  assert.match(one.out, /\n\nMEMBER +INSTANCE +CLIENT +HOST +PARTITIONS\n\S+ +- +reader +\S+ +orders 0,1\n$/);
  const described = JSON.parse((await weir('cli describe-groups -group billing -output json')).out);
  assert.deepEqual(
    [described.group, described.type, described.state, described.members[0].partitions],
    ['billing', 'classic', 'Stable', [{ topic: 'orders', partitions: [0, 1] }]],
  );

  const lag = await weir('cli consumer-group-lag -group billing');
  assert.equal(lag.status, 0, lag.err);
  assert.match(
    lag.out,
    new RegExp(
      [
        '^group billing, state Stable, total lag 4',
        'TOPIC +PARTITION +COMMITTED +LATEST +LAG +MEMBER +HOST',
        'orders +0 +1 +3 +2 +\\S+ +\\S+',
        'orders +1 +- +2 +2 +\\S+ +\\S+',
        '$',
      ].join('\n'),
    ),
  );
  const { totalLag, partitions } = JSON.parse(
    (await weir('cli consumer-group-lag -group billing -topic orders -output json')).out,
  );
  assert.deepEqual(
    [totalLag, partitions.map(({ lag: behind }: { lag: number | null }) => behind)],
    [4, [2, 2]],
  );
});

test('a missing group or topic is reported in one line', async (t) => {
  const { port, weir } = await startLocalCluster(t);
  await weir('cli create-topic -topic orders');
  const member = await joined(t, port, 'billing', 'orders');
  await member.commit(new Map([[0, 0n]]));
  const cases: readonly [line: string, err: string][] = [
    [
      'cli describe-groups -group nope',
      'weir cli describe-groups: group nope: GROUP_ID_NOT_FOUND: The group does not exist.',
    ],
    [
      'cli consumer-group-lag -group nope',
      'weir cli consumer-group-lag: group nope: GROUP_ID_NOT_FOUND: The group does not exist.',
    ],
    [
      'cli consumer-group-lag -group billing -topic nope',
      'weir cli consumer-group-lag: group billing has no members and no committed offsets for topic nope',
    ],
  ];
  for (const [line, err] of cases) {
    assert.deepEqual(await weir(line), { status: 1, out: '', err: `${err}\n` });
  }
});

async function scripted(t: TestContext, options: FakeKafkaOptions) {
  const fake = await FakeKafka.start(options);
  t.after(() => fake.stop());
  return (line: string) => runLine(`${line} -bootstrap-host 127.0.0.1 -bootstrap-port ${fake.port()}`);
}

const classicGroup = {
  errorCode: 0,
  groupId: 'old',
  groupState: 'Stable',
  protocolType: 'consumer',
  protocolData: 'range',
  members: [
    {
      memberId: 'm-1',
      clientId: 'reader',
      clientHost: '/10.0.0.1',
      memberMetadata: Buffer.alloc(0),
      memberAssignment: writeAssignment(0, [{ topic: 'orders', partitions: [1] }]),
    },
  ],
};

test('every broker gets ListGroups in a version that it supports', async (t) => {
  const weir = await scripted(t, {
    brokers: 2,
    topics: { orders: 2 },
    versions: { DescribeGroups: [0, 2], FindCoordinator: [0, 2], OffsetFetch: [1, 7] },
    script: {
      ListGroups: (_request, { nodeId }) => ({
        errorCode: 0,
        groups: [{ groupId: nodeId === 1 ? 'old' : 'gone', protocolType: 'consumer' }],
      }),
      DescribeGroups: ({ groups: [groupId] }) => ({
        groups: [
          groupId === 'old'
            ? classicGroup
            : { ...classicGroup, groupId: groupId!, groupState: 'Dead', members: [] },
        ],
      }),
      OffsetFetch: () => ({
        topics: [
          {
            name: 'orders',
            partitions: [{ partitionIndex: 1, committedOffset: 0n, metadata: null, errorCode: 0 }],
          },
        ],
      }),
    },
  });
  // The second group was deleted after it was listed.
  assert.match((await weir('cli describe-groups')).out, /^GROUP .*\nold +classic +Stable +range +1 .*\n$/);
  const lag = JSON.parse((await weir('cli consumer-group-lag -group old -output json')).out);
  assert.deepEqual(lag.partitions[0].memberId, 'm-1');
});

test('groups of the newer types are found by the API for them', async (t) => {
  const described = {
    errorCode: 0,
    groupState: 'Stable',
    groupEpoch: 1,
    assignmentEpoch: 1,
    assignorName: 'uniform',
    members: [],
  };
  const missing = { ...described, errorCode: errors.GROUP_ID_NOT_FOUND.code };
  const classicMissing = { ...classicGroup, errorCode: errors.GROUP_ID_NOT_FOUND.code, members: [] };
  const weir = await scripted(t, {
    script: {
      ConsumerGroupDescribe: ({ groupIds: [groupId] }) => ({
        throttleTimeMs: 0,
        groups: [{ ...(groupId === 'new' ? described : missing), groupId: groupId! }],
      }),
      DescribeGroups: ({ groups: [groupId] }) => ({ groups: [{ ...classicMissing, groupId: groupId! }] }),
      ShareGroupDescribe: ({ groupIds: [groupId] }) => ({
        throttleTimeMs: 0,
        groups: [{ ...(groupId === 'shared' ? described : missing), groupId: groupId! }],
      }),
    },
  });
  assert.match((await weir('cli describe-groups -group new')).out, /\nnew +consumer +Stable +uniform +0 /);
  assert.match((await weir('cli describe-groups -group shared')).out, /\nshared +share +Stable +uniform +0 /);
  assert.match((await weir('cli describe-groups -group nope')).err, /group nope: GROUP_ID_NOT_FOUND/);
});

test('a partition whose end is not known does not affect the others', async (t) => {
  const weir = await scripted(t, {
    topics: { orders: 2 },
    script: {
      DescribeGroups: () => ({ groups: [classicGroup] }),
      OffsetFetch: () => ({
        groups: [
          {
            groupId: 'old',
            topics: [
              {
                name: 'orders',
                partitions: [0, 1].map((partitionIndex) => ({
                  partitionIndex,
                  committedOffset: 0n,
                  metadata: null,
                  errorCode: 0,
                })),
              },
            ],
          },
        ],
      }),
      ListOffsets: ({ topics: [topic] }) => ({
        topics: [
          {
            name: topic!.name,
            partitions: topic!.partitions.map(({ partitionIndex }) => ({
              partitionIndex,
              errorCode: partitionIndex === 1 ? errors.TOPIC_AUTHORIZATION_FAILED.code : 0,
              offset: 7n,
            })),
          },
        ],
      }),
    },
  });
  const { status, out, err } = await weir('cli consumer-group-lag -group old');
  assert.equal(status, 1);
  assert.match(out, /total lag 7\n.*\norders +0 +0 +7 +7 +- +-\norders +1 +0 +- +- +m-1 +\/10\.0\.0\.1\n$/);
  assert.equal(
    err,
    'weir cli consumer-group-lag: topic orders, partition 1: TOPIC_AUTHORIZATION_FAILED: ' +
      'No permission to do this with the topic.\n',
  );
});
