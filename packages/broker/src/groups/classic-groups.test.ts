import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CallRefused, ClusterUnavailable } from '@weir/cluster';
import { type ErrorName, zeroUuid } from '@weir/wire';
import { type LeaderAgent, startLeaderAgent } from '../../testing/leader-agent.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';
import { errorName } from '../../testing/transactional-client.ts';

/** Disables the delay in which the first member of a new group waits for others. */
const configs = { 'group.initial.rebalance.delay.ms': '0' };

interface Joining {
  readonly groupId: string;
  readonly memberId?: string;
  readonly groupInstanceId?: string | null;
  readonly metadata?: string;
  readonly protocolType?: string;
  readonly sessionTimeoutMs?: number;
}

async function join(agent: LeaderAgent, version: number, joining: Joining) {
  const { groupId, memberId = '', metadata = 'm', protocolType = 'consumer' } = joining;
  return answered(
    await agent.call('JoinGroup', version, {
      groupId,
      sessionTimeoutMs: joining.sessionTimeoutMs ?? 10_000,
      ...(version >= 1 ? { rebalanceTimeoutMs: 10_000 } : {}),
      memberId,
      ...(version >= 5 ? { groupInstanceId: joining.groupInstanceId ?? null } : {}),
      protocolType,
      protocols: [{ name: 'range', metadata: Buffer.from(metadata) }],
    }),
  );
}

/** Joins as a client does: retries with the assigned member id if required. */
async function joinFully(agent: LeaderAgent, version: number, joining: Joining) {
  const first = await join(agent, version, joining);
  if (first.errorCode !== codeOf('MEMBER_ID_REQUIRED')) return first;
  return join(agent, version, { ...joining, memberId: first.memberId });
}

/** What SyncGroup has to name from v5 on. */
const protocol = { protocolType: 'consumer', protocolName: 'range' };

async function sync(
  agent: LeaderAgent,
  version: number,
  groupId: string,
  memberId: string,
  assigned: string,
) {
  const assignments = [{ memberId, assignment: Buffer.from(assigned) }];
  return answered(
    await agent.call('SyncGroup', version, {
      ...{ groupId, generationId: 1, memberId, assignments },
      ...(version >= 5 && protocol),
    }),
  );
}

describe('a classic group', () => {
  test('works in every version: join, sync, heartbeat, commit, fetch, describe, leave, delete', async () => {
    await using agent = await startLeaderAgent(configs);
    const { topicId } = await agent.addTopic('t', 2);
    for (let version = 0; version <= 9; version++) {
      const groupId = `g${version}`;
      const joined = await joinFully(agent, version, { groupId, metadata: `metadata ${version}` });
      assert.equal(joined.errorCode, 0, `JoinGroup v${version}`);
      const { memberId } = joined;
      assert.deepEqual(
        [joined.generationId, joined.protocolName, joined.leader, joined.members.length],
        [1, 'range', memberId, 1],
      );
      assert.equal(joined.members[0]!.metadata.toString(), `metadata ${version}`);
      assert.equal(joined.protocolType, version >= 7 ? 'consumer' : null);

      const synced = await sync(agent, Math.min(version, 5), groupId, memberId, `assigned ${version}`);
      assert.deepEqual([synced.errorCode, synced.assignment.toString()], [0, `assigned ${version}`]);

      const beat = await agent.call('Heartbeat', Math.min(version, 4), {
        groupId,
        generationId: 1,
        memberId,
      });
      assert.equal(answered(beat).errorCode, 0);

      const described = answered(
        await agent.call('DescribeGroups', Math.min(version, 6), { groups: [groupId] }),
      );
      const [group] = described.groups;
      assert.deepEqual([group!.groupState, group!.protocolData], ['Stable', 'range']);
      assert.deepEqual(
        group!.members.map((member) => [member.memberId, member.clientId, member.clientHost]),
        [[memberId, 'test', '/10.0.0.7']],
      );
      assert.equal(group!.members[0]!.memberAssignment.toString(), `assigned ${version}`);

      const commitVersion = Math.max(2, version + 1);
      const topic = commitVersion >= 10 ? { topicId } : { name: 't' };
      const committed = answered(
        await agent.call('OffsetCommit', commitVersion, {
          groupId,
          generationIdOrMemberEpoch: 1,
          memberId,
          topics: [
            {
              ...topic,
              partitions: [
                { partitionIndex: 1, committedOffset: 40n + BigInt(version), committedMetadata: 'here' },
                { partitionIndex: 7, committedOffset: 1n, committedMetadata: null },
              ],
            },
          ],
        }),
      );
      assert.deepEqual(
        committed.topics[0]!.partitions.map(({ errorCode }) => errorCode),
        [0, codeOf('UNKNOWN_TOPIC_OR_PARTITION')],
        `OffsetCommit v${commitVersion}`,
      );

      const left = answered(
        await agent.call(
          'LeaveGroup',
          Math.min(version, 5),
          version >= 3 ? { groupId, members: [{ memberId }, { memberId: 'nobody' }] } : { groupId, memberId },
        ),
      );
      assert.equal(left.errorCode, 0);
      if (version >= 3) {
        assert.deepEqual(
          left.members.map(({ errorCode }) => errorCode),
          [0, codeOf('UNKNOWN_MEMBER_ID')],
        );
      }
    }

    const listed = answered(
      await agent.call('ListGroups', 5, { statesFilter: ['empty'], typesFilter: ['Classic'] }),
    );
    assert.deepEqual(
      listed.groups
        .map(({ groupId, groupState, groupType }) => `${groupId} ${groupState} ${groupType}`)
        .sort(),
      Array.from({ length: 10 }, (_, version) => `g${version} Empty classic`),
    );
    const deleted = answered(await agent.call('DeleteGroups', 2, { groupsNames: ['g0', 'nobody', 'g0'] }));
    assert.deepEqual(
      deleted.results.map(({ groupId, errorCode }) => [groupId, errorCode]),
      [
        ['g0', 0],
        ['nobody', codeOf('GROUP_ID_NOT_FOUND')],
      ],
    );
  });

  test('a second member triggers a rebalance, and both get their assignment', async () => {
    await using agent = await startLeaderAgent(configs);
    const first = await joinFully(agent, 9, { groupId: 'g' });
    await sync(agent, 5, 'g', first.memberId, 'all');
    const joining = joinFully(agent, 9, { groupId: 'g', metadata: 'second' });
    const beat = async () =>
      answered(await agent.call('Heartbeat', 4, { groupId: 'g', generationId: 1, memberId: first.memberId }))
        .errorCode;
    while ((await beat()) === 0);
    assert.equal(await beat(), codeOf('REBALANCE_IN_PROGRESS'));
    const [again, second] = await Promise.all([
      join(agent, 9, { groupId: 'g', memberId: first.memberId }),
      joining,
    ]);
    assert.deepEqual([again.generationId, second.generationId], [2, 2]);
    assert.deepEqual(
      [again.members.length, second.members.length],
      [2, 0],
      'only the leader sees the members',
    );
    const assignments = [
      { memberId: first.memberId, assignment: Buffer.from('one') },
      { memberId: second.memberId, assignment: Buffer.from('two') },
    ];
    const [one, two] = await Promise.all([
      agent.call('SyncGroup', 5, {
        ...{ groupId: 'g', generationId: 2, memberId: first.memberId, assignments, ...protocol },
      }),
      agent.call('SyncGroup', 5, {
        ...{ groupId: 'g', generationId: 2, memberId: second.memberId, assignments: [], ...protocol },
      }),
    ]);
    assert.deepEqual(
      [answered(one).assignment.toString(), answered(two).assignment.toString()],
      ['one', 'two'],
    );
    const nameless = { groupId: 'g', generationId: 2, memberId: first.memberId, assignments: [] };
    for (const named of [{}, { protocolType: 'consumer' }, { protocolName: 'range' }]) {
      const { errorCode } = answered(await agent.call('SyncGroup', 5, { ...nameless, ...named }));
      assert.equal(errorCode, codeOf('INCONSISTENT_GROUP_PROTOCOL'));
    }
  });

  test('refused requests', async () => {
    await using agent = await startLeaderAgent(configs);
    const member = await joinFully(agent, 9, { groupId: 'g' });
    await sync(agent, 5, 'g', member.memberId, 'all');
    const joins: [joining: Joining, error: ErrorName][] = [
      [{ groupId: '' }, 'INVALID_GROUP_ID'],
      [{ groupId: 'g', sessionTimeoutMs: 1 }, 'INVALID_SESSION_TIMEOUT'],
      [{ groupId: 'g', protocolType: 'connect' }, 'INCONSISTENT_GROUP_PROTOCOL'],
      [{ groupId: 'g', memberId: 'nobody' }, 'UNKNOWN_MEMBER_ID'],
      [{ groupId: 'new' }, 'MEMBER_ID_REQUIRED'],
    ];
    for (const [joining, error] of joins) {
      assert.equal((await join(agent, 9, joining)).errorCode, codeOf(error), JSON.stringify(joining));
    }
    const { memberId } = member;
    const beats: [groupId: string, generationId: number, memberId: string, error: ErrorName][] = [
      ['g', 1, 'nobody', 'UNKNOWN_MEMBER_ID'],
      ['g', 0, memberId, 'ILLEGAL_GENERATION'],
      ['none', 1, memberId, 'UNKNOWN_MEMBER_ID'],
    ];
    for (const [groupId, generationId, id, error] of beats) {
      const { errorCode } = answered(
        await agent.call('Heartbeat', 4, { groupId, generationId, memberId: id }),
      );
      assert.equal(errorCode, codeOf(error), `${groupId} ${generationId}`);
    }
    const busy = answered(await agent.call('DeleteGroups', 2, { groupsNames: ['g'] }));
    assert.equal(busy.results[0]!.errorCode, codeOf('NON_EMPTY_GROUP'));
    const versions: [version: number, error: ErrorName, state: string][] = [
      [5, 'NONE', 'Dead'],
      [6, 'GROUP_ID_NOT_FOUND', 'Dead'],
    ];
    for (const [version, error, state] of versions) {
      const { groups } = answered(await agent.call('DescribeGroups', version, { groups: ['none'] }));
      assert.deepEqual([groups[0]!.errorCode, groups[0]!.groupState], [codeOf(error), state]);
    }
  });

  test('a member of another generation cannot commit, with the error of each version', async () => {
    await using agent = await startLeaderAgent(configs);
    await agent.addTopic('t');
    const member = await joinFully(agent, 9, { groupId: 'g' });
    await sync(agent, 5, 'g', member.memberId, 'all');
    const rows: [groupId: string, generation: number, version: number, error: ErrorName][] = [
      ['g', 0, 8, 'ILLEGAL_GENERATION'],
      ['g', 0, 9, 'ILLEGAL_GENERATION'],
      ['g', -1, 9, 'UNKNOWN_MEMBER_ID'],
      ['none', 3, 8, 'ILLEGAL_GENERATION'],
      ['none', 3, 9, 'GROUP_ID_NOT_FOUND'],
      ['simple', -1, 9, 'NONE'],
    ];
    for (const [groupId, generationIdOrMemberEpoch, version, error] of rows) {
      const { topics } = answered(
        await agent.call('OffsetCommit', version, {
          groupId,
          generationIdOrMemberEpoch,
          memberId: generationIdOrMemberEpoch < 0 ? '' : member.memberId,
          topics: [
            { name: 't', partitions: [{ partitionIndex: 0, committedOffset: 1n, committedMetadata: '' }] },
          ],
        }),
      );
      assert.equal(topics[0]!.partitions[0]!.errorCode, codeOf(error), `${groupId} v${version}`);
    }
  });
});

describe('committed offsets', () => {
  async function withCommit() {
    const agent = await startLeaderAgent(configs);
    const { topicId } = await agent.addTopic('t', 3);
    await agent.addTopic('u', 1);
    const partitions = [
      { partitionIndex: 0, committedOffset: 5n, committedLeaderEpoch: 0, committedMetadata: 'five' },
      { partitionIndex: 2, committedOffset: 7n, committedLeaderEpoch: -1, committedMetadata: null },
    ];
    const commit = { groupId: 'g', generationIdOrMemberEpoch: -1, memberId: '' };
    answered(await agent.call('OffsetCommit', 9, { ...commit, topics: [{ name: 't', partitions }] }));
    return { agent, topicId };
  }

  test('are found by every version, for one group or many, some partitions or all', async () => {
    const { agent, topicId } = await withCommit();
    await using _ = agent;
    const some = [
      { name: 't', partitionIndexes: [0, 1] },
      { name: 'unknown', partitionIndexes: [0] },
    ];
    for (let version = 1; version <= 10; version++) {
      const ask = version >= 10 ? [{ topicId, partitionIndexes: [0, 1] }] : some;
      const answer = answered(
        await agent.call(
          'OffsetFetch',
          version,
          version >= 8 ? { groups: [{ groupId: 'g', topics: ask }] } : { groupId: 'g', topics: some },
        ),
      );
      const topics = version >= 8 ? answer.groups[0]!.topics : answer.topics;
      const rows = topics.flatMap(({ partitions }) =>
        partitions.map((found) => [
          found.partitionIndex,
          found.committedOffset,
          found.committedLeaderEpoch,
          found.metadata,
          found.errorCode,
        ]),
      );
      const epoch = version >= 5 ? 0 : -1;
      const expected = [
        [0, 5n, epoch, 'five', 0],
        [1, -1n, -1, '', 0],
        [0, -1n, -1, '', 0],
      ];
      assert.deepEqual(rows, version >= 10 ? expected.slice(0, 2) : expected, `OffsetFetch v${version}`);
    }
    for (let version = 2; version <= 10; version++) {
      const answer = answered(
        await agent.call(
          'OffsetFetch',
          version,
          version >= 8 ? { groups: [{ groupId: 'g', topics: null }] } : { groupId: 'g', topics: null },
        ),
      );
      const topics = version >= 8 ? answer.groups[0]!.topics : answer.topics;
      assert.equal(topics.length, 1);
      assert.deepEqual(
        topics[0]!.partitions.map(({ partitionIndex }) => partitionIndex),
        [0, 2],
        `all partitions in v${version}`,
      );
    }
    const foreign = { groups: [{ groupId: 'g', topics: [{ topicId: zeroUuid, partitionIndexes: [0] }] }] };
    const unknown = answered(await agent.call('OffsetFetch', 10, foreign));
    assert.equal(unknown.groups[0]!.topics[0]!.partitions[0]!.errorCode, codeOf('UNKNOWN_TOPIC_ID'));
  });

  test('may be negative, as clients commit them to forget a position', async () => {
    const { agent } = await withCommit();
    await using _ = agent;
    for (const committedOffset of [-1n, -2n, -9_007_199_254_740_991n]) {
      const partitions = [{ partitionIndex: 0, committedOffset, committedMetadata: 'reset' }];
      const commit = { groupId: 'g', generationIdOrMemberEpoch: -1, memberId: '' };
      const { topics } = answered(
        await agent.call('OffsetCommit', 5, { ...commit, topics: [{ name: 't', partitions }] }),
      );
      assert.equal(topics[0]!.partitions[0]!.errorCode, 0);
      const ask = [{ name: 't', partitionIndexes: [0] }];
      const found = answered(await agent.call('OffsetFetch', 5, { groupId: 'g', topics: ask }));
      const { committedOffset: stored, metadata } = found.topics[0]!.partitions[0]!;
      assert.deepEqual([stored, metadata], [committedOffset, 'reset']);
    }
  });

  test('of single partitions can be deleted', async () => {
    const { agent } = await withCommit();
    await using _ = agent;
    const topics = [
      { name: 't', partitions: [{ partitionIndex: 0 }, { partitionIndex: 3 }, { partitionIndex: -1 }] },
      { name: 'unknown', partitions: [{ partitionIndex: 0 }] },
    ];
    const deleted = answered(await agent.call('OffsetDelete', 0, { groupId: 'g', topics }));
    assert.equal(deleted.errorCode, 0);
    assert.deepEqual(
      deleted.topics.map(({ partitions }) => partitions.map(({ errorCode }) => errorName(errorCode))),
      [['NONE', 'UNKNOWN_TOPIC_OR_PARTITION', 'UNKNOWN_TOPIC_OR_PARTITION'], ['UNKNOWN_TOPIC_OR_PARTITION']],
    );
    const left = answered(await agent.call('OffsetFetch', 7, { groupId: 'g', topics: null }));
    assert.deepEqual(
      left.topics.flatMap(({ partitions }) => partitions.map(({ partitionIndex }) => partitionIndex)),
      [2],
    );
    const none = answered(await agent.call('OffsetDelete', 0, { groupId: 'none', topics }));
    assert.equal(none.errorCode, codeOf('GROUP_ID_NOT_FOUND'));
  });
});

const failures = {
  'is unavailable': new ClusterUnavailable('no leader'),
  'fails inside': new CallRefused('internal', 'a defect'),
  'refuses the call': new CallRefused('invalid', 'too many rows'),
  'does not know the agent key': new Error('the key is refused'),
};

for (const [what, error] of Object.entries(failures)) {
  test(`if the control plane ${what}, clients of groups get a retriable error`, () => refusesAll(error));
}

async function refusesAll(error: Error): Promise<void> {
  const { call, cluster } = await startTestAgent();
  cluster.addTopic('t');
  cluster.around = () => Promise.reject(error);
  const code = codeOf('COORDINATOR_LOAD_IN_PROGRESS');
  const group = { groupId: 'g', generationId: 1, memberId: 'm' };
  const topics = [{ name: 't', partitionIndexes: [0] }];
  const partitions = [{ partitionIndex: 0, committedOffset: 1n, committedMetadata: null }];
  const commit = {
    groupId: 'g',
    generationIdOrMemberEpoch: 1,
    memberId: 'm',
    topics: [{ name: 't', partitions }],
  };
  const joining = {
    groupId: 'g',
    sessionTimeoutMs: 1,
    memberId: 'm',
    protocolType: 'consumer',
    protocols: [],
  };
  const consumer = { memberId: '7mJ3lO8bQYmVZ4zXKjv7Fw', memberEpoch: 0, rebalanceTimeoutMs: 1000 };
  const producer = { transactionalId: 'tx', producerId: 1n, producerEpoch: 0 };
  const answers: Record<string, number | undefined> = {
    join: answered(await call('JoinGroup', 0, joining)).errorCode,
    sync: answered(await call('SyncGroup', 0, { ...group, assignments: [] })).errorCode,
    heartbeat: answered(await call('Heartbeat', 0, group)).errorCode,
    leave: answered(await call('LeaveGroup', 0, group)).errorCode,
    commit: answered(await call('OffsetCommit', 8, commit)).topics[0]!.partitions[0]!.errorCode,
    'fetch v1': answered(await call('OffsetFetch', 1, { groupId: 'g', topics })).topics[0]!.partitions[0]!
      .errorCode,
    'fetch v2': answered(await call('OffsetFetch', 2, { groupId: 'g', topics })).errorCode,
    'fetch v8': answered(await call('OffsetFetch', 8, { groups: [{ groupId: 'g', topics }] })).groups[0]!
      .errorCode,
    describe: answered(await call('DescribeGroups', 6, { groups: ['g'] })).groups[0]!.errorCode,
    list: answered(await call('ListGroups', 0, {})).errorCode,
    delete: answered(await call('DeleteGroups', 0, { groupsNames: ['g'] })).results[0]!.errorCode,
    deleteOffsets: answered(await call('OffsetDelete', 0, { groupId: 'g', topics: [] })).errorCode,
    consumer: answered(await call('ConsumerGroupHeartbeat', 1, { ...consumer, groupId: 'g' })).errorCode,
    share: answered(await call('ShareGroupHeartbeat', 1, { groupId: 'g', memberId: 'm', memberEpoch: 0 }))
      .errorCode,
    describeConsumer: answered(
      await call('ConsumerGroupDescribe', 1, { groupIds: ['g'], includeAuthorizedOperations: false }),
    ).groups[0]!.errorCode,
    producerId: answered(await call('InitProducerId', 5, { transactionalId: null, transactionTimeoutMs: 1 }))
      .errorCode,
    endTransaction: answered(await call('EndTxn', 5, { ...producer, committed: true })).errorCode,
    addOffsets: answered(await call('AddOffsetsToTxn', 4, { ...producer, groupId: 'g' })).errorCode,
    'offsets of transaction v0': await offsetsOfTransaction(0),
    'offsets of transaction v1': await offsetsOfTransaction(1),
    'offsets of transaction v5': await offsetsOfTransaction(5),
  };
  for (const [name, errorCode] of Object.entries(answers)) assert.equal(errorCode, code, name);

  async function offsetsOfTransaction(version: number): Promise<number> {
    const { topics } = commit;
    const request = { ...producer, groupId: 'g', topics };
    return answered(await call('TxnOffsetCommit', version, request)).topics[0]!.partitions[0]!.errorCode;
  }
}
