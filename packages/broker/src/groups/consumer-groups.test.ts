import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LeaderAgent, startLeaderAgent } from '../../testing/leader-agent.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';

interface Beat {
  readonly memberId?: string;
  readonly memberEpoch?: number;
  readonly topics?: readonly string[] | null;
  readonly regex?: string | null;
  readonly owned?: readonly { readonly topicId: string; readonly partitions: readonly number[] }[] | null;
}

async function beat(agent: Pick<LeaderAgent, 'call'>, version: number, options: Beat = {}) {
  const { memberId = 'm', memberEpoch = 0, topics = ['t'], regex = null, owned = [] } = options;
  return answered(
    await agent.call('ConsumerGroupHeartbeat', version, {
      groupId: 'g',
      memberId,
      memberEpoch,
      rebalanceTimeoutMs: memberEpoch === 0 ? 30_000 : -1,
      subscribedTopicNames: topics,
      ...(version >= 1 ? { subscribedTopicRegex: regex } : {}),
      topicPartitions: owned,
    }),
  );
}

const unchanged = { topics: null, owned: null };

test('a member joins, stays and leaves', async () => {
  for (const version of [0, 1]) {
    await using agent = await startLeaderAgent();
    const { topicId } = await agent.addTopic('t', 2);
    const joined = await beat(agent, version);
    assert.deepEqual(joined, {
      throttleTimeMs: 0,
      errorCode: 0,
      errorMessage: null,
      memberId: 'm',
      memberEpoch: 1,
      heartbeatIntervalMs: 5_000,
      assignment: { topicPartitions: [{ topicId, partitions: [0, 1] }] },
    });
    const stayed = await beat(agent, version, { memberEpoch: 1, ...unchanged });
    assert.deepEqual([stayed.errorCode, stayed.memberEpoch, stayed.assignment], [0, 1, null]);
    const left = await beat(agent, version, { memberEpoch: -1, ...unchanged });
    assert.deepEqual([left.errorCode, left.memberEpoch], [0, -1]);
  }
});

test('only clients of v0 get an assigned member id', async () => {
  await using agent = await startLeaderAgent();
  const given = await beat(agent, 0, { memberId: '' });
  assert.equal(given.errorCode, 0);
  assert.match(given.memberId!, /^[\w-]{22}$/);
  const refused = await beat(agent, 1, { memberId: '' });
  assert.equal(refused.errorCode, codeOf('INVALID_REQUEST'));
  assert.equal(refused.errorMessage, 'The member id is empty.');
});

test('an invalid pattern is refused with the reason', async () => {
  await using agent = await startLeaderAgent();
  const { errorCode, errorMessage } = await beat(agent, 1, { topics: null, regex: 'a(b' });
  assert.equal(errorCode, codeOf('INVALID_REGULAR_EXPRESSION'));
  assert.match(errorMessage!, /missing/);
});

test('groups are described with current and target assignments', async () => {
  for (const version of [0, 1]) {
    await using agent = await startLeaderAgent({ 'group.consumer.assignment.interval.ms': '0' });
    const { topicId } = await agent.addTopic('t', 2);
    await beat(agent, 1);
    await beat(agent, 1, { memberId: 'second' });
    const { groups } = answered(
      await agent.call('ConsumerGroupDescribe', version, {
        groupIds: ['g', 'none'],
        includeAuthorizedOperations: false,
      }),
    );
    const [group, none] = groups;
    const { members, ...head } = group!;
    assert.deepEqual(head, {
      errorCode: 0,
      errorMessage: null,
      groupId: 'g',
      groupState: 'Reconciling',
      groupEpoch: 2,
      assignmentEpoch: 2,
      assignorName: 'uniform',
      authorizedOperations: -2147483648,
    });
    const has = (...partitions: number[]) => ({
      topicPartitions: partitions.length === 0 ? [] : [{ topicId, topicName: 't', partitions }],
    });
    assert.deepEqual(
      members.map(({ memberId, memberEpoch, assignment, targetAssignment, memberType }) => ({
        memberId,
        memberEpoch,
        assignment,
        targetAssignment,
        memberType,
      })),
      [
        {
          memberId: 'm',
          memberEpoch: 1,
          assignment: has(0, 1),
          targetAssignment: has(0),
          memberType: version === 0 ? -1 : 1,
        },
        {
          memberId: 'second',
          memberEpoch: 2,
          assignment: has(),
          targetAssignment: has(1),
          memberType: version === 0 ? -1 : 1,
        },
      ],
    );
    assert.deepEqual([none!.errorCode, none!.groupState], [codeOf('GROUP_ID_NOT_FOUND'), '']);
  }
});

test('stale epochs return the error that each version knows', async () => {
  await using agent = await startLeaderAgent();
  const { topicId } = await agent.addTopic('t', 1);
  await beat(agent, 1);
  const commit = async (version: number, generationIdOrMemberEpoch: number) => {
    const { topics } = answered(
      await agent.call('OffsetCommit', version, {
        groupId: 'g',
        memberId: 'm',
        generationIdOrMemberEpoch,
        topics: [
          {
            ...(version >= 10 ? { topicId } : { name: 't' }),
            partitions: [{ partitionIndex: 0, committedOffset: 1n, committedMetadata: '' }],
          },
        ],
      }),
    );
    return topics[0]!.partitions[0]!.errorCode;
  };
  const cases: [version: number, epoch: number, error: Parameters<typeof codeOf>[0]][] = [
    [8, 1, 'NONE'],
    [9, 1, 'NONE'],
    [10, 1, 'NONE'],
    [8, 2, 'UNSUPPORTED_VERSION'],
    [9, 2, 'STALE_MEMBER_EPOCH'],
    [10, 2, 'STALE_MEMBER_EPOCH'],
  ];
  for (const [version, epoch, error] of cases) {
    assert.equal(await commit(version, epoch), codeOf(error), `v${version} ${epoch}`);
  }
});

test('without a control plane members get a retriable error', async () => {
  const { call, cluster } = await startTestAgent();
  cluster.unavailable = true;
  assert.equal((await beat({ call }, 1)).errorCode, codeOf('COORDINATOR_LOAD_IN_PROGRESS'));
  const { groups } = answered(
    await call('ConsumerGroupDescribe', 1, {
      groupIds: ['g'],
      includeAuthorizedOperations: false,
    }),
  );
  assert.equal(groups[0]!.errorCode, codeOf('COORDINATOR_LOAD_IN_PROGRESS'));
});
