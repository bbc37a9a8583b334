import type { Pair } from '../pair.ts';
import type { AnswerOf, Body, SideName } from '../side.ts';
import type { Dialogue } from './dialogue.ts';

type Joined = Readonly<Record<SideName, AnswerOf<'JoinGroup'>>>;

/** The members of consumers have these; servers only pass the bytes on. */
const subscription = Buffer.from('00000000000000000000', 'hex');

function join(pair: Pair, groupId: string, more: Partial<Body<'JoinGroup'>> = {}) {
  return pair.ask('JoinGroup', {
    groupId,
    sessionTimeoutMs: 30_000,
    rebalanceTimeoutMs: 10_000,
    memberId: '',
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: subscription }],
    ...more,
  });
}

/** Joins as the only member, with a second request where the first one only gave the id. */
async function joinAlone(
  pair: Pair,
  groupId: string,
  more: Partial<Body<'JoinGroup'>> = {},
): Promise<Joined | undefined> {
  const first = await join(pair, groupId, more);
  if (first === undefined || first.apache.errorCode === 0) return first;
  return pair.ask('JoinGroup', (side) => ({
    groupId,
    sessionTimeoutMs: 30_000,
    rebalanceTimeoutMs: 10_000,
    memberId: first[side.name].memberId,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: subscription }],
    ...more,
  }));
}

/** Classic groups, of one member: it joins, syncs, commits, is described and leaves. */
export const classicGroupDialogues: readonly Dialogue[] = (
  [
    'JoinGroup',
    'SyncGroup',
    'Heartbeat',
    'LeaveGroup',
    'OffsetCommit',
    'OffsetFetch',
    'DescribeGroups',
    'ListGroups',
    'DeleteGroups',
    'OffsetDelete',
    'FindCoordinator',
  ] as const
).map((api) => ({ name: 'the life of a classic group', api, run: lifeOfGroup }));

async function lifeOfGroup(pair: Pair): Promise<void> {
  const topic = await pair.topic('consumed', 2);
  const groupId = `${pair.prefix}-group`;
  await findGroup(pair, groupId);
  await describeGroup(pair, groupId);
  const joined = await joinAlone(pair, groupId);
  if (joined === undefined) return;
  const memberOf = (side: { readonly name: SideName }) => ({
    groupId,
    memberId: joined[side.name].memberId,
    generationId: joined[side.name].generationId,
  });
  const heartbeat = (more: object) => pair.ask('Heartbeat', (side) => ({ ...memberOf(side), ...more }));
  await heartbeat({});
  await pair.ask('SyncGroup', (side, version) => ({
    ...memberOf(side),
    assignments: [{ memberId: joined[side.name].memberId, assignment: Buffer.from('assigned') }],
    ...(version >= 5 && { protocolType: 'consumer', protocolName: 'range' }),
  }));
  await heartbeat({});
  for (const more of [
    { generationId: 7 },
    { memberId: 'stranger' },
    { groupId: '' },
    { groupId: `${groupId}-absent` },
  ]) {
    await heartbeat(more);
    await pair.ask('SyncGroup', (side) => ({ ...memberOf(side), assignments: [], ...more }));
  }
  await pair.ask('SyncGroup', (side) => ({
    ...memberOf(side),
    assignments: [],
    protocolType: 'consumer',
    protocolName: 'other',
  }));
  await heartbeat({ groupInstanceId: 'nobody' });
  await describeGroup(pair, groupId);
  await commit(pair, topic, (side) => memberOf(side));
  for (const generationId of [-1, 9]) {
    await commit(pair, topic, (side) => ({ ...memberOf(side), generationId }));
  }
  await commit(pair, topic, (side) => ({ ...memberOf(side), memberId: 'stranger' }));
  await commit(pair, topic, () => ({ groupId, memberId: '', generationId: -1 }));
  await fetchOffsets(pair, groupId, topic);
  await pair.ask('DeleteGroups', { groupsNames: [groupId] });
  await pair.ask('OffsetDelete', { groupId, topics: [{ name: topic, partitions: [{ partitionIndex: 0 }] }] });
  await pair.ask('ListGroups', {});
  await pair.ask('LeaveGroup', (side, version) => {
    const { memberId } = joined[side.name];
    return version < 3
      ? { groupId, memberId: 'stranger' }
      : { groupId, members: [{ memberId: 'stranger' }, { memberId }] };
  });
  await pair.ask('LeaveGroup', (side, version) => {
    const { memberId } = joined[side.name];
    return version < 3 ? { groupId, memberId } : { groupId, members: [{ memberId }] };
  });
  await describeGroup(pair, groupId);
  await pair.ask('ListGroups', { statesFilter: ['Empty'] });
  await pair.ask('ListGroups', { statesFilter: ['nonsense'], typesFilter: ['classic'] });
  await pair.ask('ListGroups', { statesFilter: ['stable', 'EMPTY'], typesFilter: ['Classic', 'consumer'] });
  await pair.ask('ListGroups', { typesFilter: ['nonsense'] });
  for (const name of [topic, `${pair.prefix}-absent`]) {
    await pair.ask('OffsetDelete', {
      groupId,
      topics: [{ name, partitions: [{ partitionIndex: 0 }, { partitionIndex: 9 }] }],
    });
  }
  await fetchOffsets(pair, groupId, topic);
  await pair.ask('OffsetDelete', { groupId: `${groupId}-absent`, topics: [] });
  await pair.ask('OffsetDelete', { groupId: '', topics: [] });
  await pair.ask('DeleteGroups', { groupsNames: [groupId, `${groupId}-absent`, ''] });
  await pair.ask('DeleteGroups', { groupsNames: [groupId, groupId] });
  await fetchOffsets(pair, groupId, topic);
  await describeGroup(pair, groupId);
}

async function findGroup(pair: Pair, groupId: string): Promise<void> {
  for (const keyType of [0, 1, 2, 3, -1]) {
    for (const key of [groupId, '', `${groupId}:AAAAAAAAAAAAAAAAAAAAAQ:0`]) {
      await pair.ask('FindCoordinator', (_, version) => ({
        keyType,
        ...(version < 4 ? { key } : { coordinatorKeys: [key] }),
      }));
    }
  }
}

async function describeGroup(pair: Pair, groupId: string): Promise<void> {
  await pair.ask('DescribeGroups', { groups: [groupId] });
  await pair.ask('DescribeGroups', {
    groups: [groupId, `${groupId}-absent`, ''],
    includeAuthorizedOperations: true,
  });
}

async function commit(
  pair: Pair,
  topic: string,
  member: (side: { readonly name: SideName }) => {
    readonly groupId: string;
    readonly memberId: string;
    readonly generationId: number;
  },
): Promise<void> {
  for (const [name, partitions] of [
    [topic, [0, 1]],
    [topic, [2, -1]],
    [`${pair.prefix}-absent`, [0]],
  ] as const) {
    await pair.ask('OffsetCommit', (side, version) => {
      const { groupId, memberId, generationId } = member(side);
      return {
        groupId,
        memberId,
        generationIdOrMemberEpoch: generationId,
        topics: [
          {
            ...(version < 10
              ? { name }
              : {
                  topicId: name === topic ? side.topicId(topic) : Buffer.alloc(16, 9).toString('base64url'),
                }),
            partitions: partitions.map((partitionIndex) => ({
              partitionIndex,
              committedOffset: 5n,
              committedMetadata: partitionIndex === 0 ? 'a note' : null,
            })),
          },
        ],
      };
    });
  }
}

async function fetchOffsets(pair: Pair, groupId: string, topic: string): Promise<void> {
  for (const id of [groupId, `${groupId}-absent`, '']) {
    for (const topics of [null, [], [topic], [`${pair.prefix}-absent`]]) {
      for (const requireStable of [false, true]) {
        await pair.ask('OffsetFetch', (side, version) => {
          const named = topics?.map((name) => ({ name, partitionIndexes: [0, 1, 7] })) ?? null;
          if (version < 8) return { groupId: id, topics: named, ...(version === 7 && { requireStable }) };
          const byId = topics?.map((name) => ({
            topicId: name === topic ? side.topicId(topic) : Buffer.alloc(16, 9).toString('base64url'),
            partitionIndexes: [0, 1, 7],
          }));
          return { groups: [{ groupId: id, topics: version < 10 ? named : (byId ?? null) }], requireStable };
        });
      }
    }
  }
}

export const classicJoinDialogues: readonly Dialogue[] = [
  {
    name: 'a group without a name',
    api: 'OffsetCommit',
    async run(pair) {
      const topic = await pair.topic('nameless');
      await pair.ask('OffsetCommit', (side, version) => ({
        groupId: '',
        generationIdOrMemberEpoch: -1,
        memberId: '',
        retentionTimeMs: -1n,
        topics: [
          {
            ...(version < 10 ? { name: topic } : { topicId: side.topicId(topic) }),
            partitions: [{ partitionIndex: 0, committedOffset: 3n, committedMetadata: '' }],
          },
        ],
      }));
      await pair.ask('OffsetFetch', (side) => ({
        groups: [{ groupId: '', topics: [{ topicId: side.topicId(topic), partitionIndexes: [0] }] }],
        requireStable: false,
      }));
      await pair.ask('DescribeGroups', { groups: [''] });
      await pair.ask('DeleteGroups', { groupsNames: [''] });
    },
  },
  {
    name: 'what does not join a classic group',
    api: 'JoinGroup',
    async run(pair) {
      const groupId = `${pair.prefix}-group`;
      await join(pair, '');
      for (const sessionTimeoutMs of [0, -1, 5_999, 1_800_001])
        await join(pair, groupId, { sessionTimeoutMs });
      await join(pair, groupId, { memberId: 'stranger' });
      await join(pair, groupId, { protocols: [] });
      await join(pair, groupId, { protocolType: '' });
      const joined = await joinAlone(pair, groupId);
      if (joined === undefined) return;
      await join(pair, groupId, { memberId: 'stranger' });
      await join(pair, groupId, { protocolType: 'connect' });
      await join(pair, groupId, { protocols: [{ name: 'roundrobin', metadata: subscription }] });
      await pair.ask('LeaveGroup', (side, version) => {
        const { memberId } = joined[side.name];
        return version < 3 ? { groupId, memberId } : { groupId, members: [{ memberId }] };
      });
    },
  },
  {
    name: 'a static member comes back',
    api: 'JoinGroup',
    async run(pair) {
      const groupId = `${pair.prefix}-group`;
      const groupInstanceId = 'one';
      const first = await join(pair, groupId, { groupInstanceId });
      if (first === undefined) return;
      await pair.ask('SyncGroup', (side) => ({
        groupId,
        memberId: first[side.name].memberId,
        generationId: first[side.name].generationId,
        groupInstanceId,
        assignments: [{ memberId: first[side.name].memberId, assignment: Buffer.from('assigned') }],
        protocolType: 'consumer',
        protocolName: 'range',
      }));
      const second = await join(pair, groupId, { groupInstanceId });
      if (second === undefined) return;
      await pair.ask('Heartbeat', (side) => ({
        groupId,
        memberId: first[side.name].memberId,
        generationId: first[side.name].generationId,
        groupInstanceId,
      }));
      await pair.ask('Heartbeat', (side) => ({
        groupId,
        memberId: second[side.name].memberId,
        generationId: second[side.name].generationId,
        groupInstanceId,
      }));
      await describeGroup(pair, groupId);
      await pair.ask('LeaveGroup', { groupId, members: [{ memberId: '', groupInstanceId }] });
      await pair.ask('LeaveGroup', { groupId, members: [{ memberId: '', groupInstanceId }] });
    },
  },
];
