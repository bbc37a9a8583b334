import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StreamsHeartbeat, StreamsTopology } from '@weir/cluster';
import { counting, StreamsStory, subtopologyOf, tasksText } from '../../testing/streams-story.ts';
import { configureTopology } from './configure-topology.ts';
import { checkCommit, stateOf } from './machine.ts';

const all = {
  active: [
    { subtopologyId: '0', partitions: [0, 1] },
    { subtopologyId: '1', partitions: [0, 1] },
  ],
  standby: [],
};

function ready(rules = {}): StreamsStory {
  return new StreamsStory({ t: 2, r: 2, c: 2 }, rules);
}

describe('a streams group', () => {
  test('asks for its internal topics, and has no tasks before they are there', () => {
    const story = new StreamsStory({ t: 3 });
    const joined = story.join('a');
    assert.deepEqual(
      joined.topicsToCreate.map(({ name, partitionCount }) => [name, partitionCount]),
      [
        ['r', 3],
        ['c', 3],
      ],
    );
    assert.deepEqual(joined.status, [
      { status: 'MISSING_INTERNAL_TOPICS', detail: 'Internal topics are missing: c, r' },
    ]);
    assert.equal(tasksText(joined), '');
    assert.equal(stateOf(story.group), 'NotReady');
    story.create(joined);
    const next = story.heartbeat('a', joined.memberEpoch);
    assert.equal(tasksText(next), '0:0,1,2 1:0,1,2');
    assert.deepEqual(next.status, []);
    assert.equal(stateOf(story.group), 'Stable');
  });

  test('waits for more members before its first assignment, and says so', () => {
    const story = ready({ initialDelayMs: 3_000 });
    const joined = story.join('a');
    assert.equal(joined.memberEpoch, 1);
    assert.deepEqual(
      joined.status.map(({ status }) => status),
      ['ASSIGNMENT_DELAYED'],
    );
    story.join('b');
    story.nowMs += 3_000;
    story.run({ kind: 'tick' });
    assert.equal(tasksText(story.heartbeat('a', 1)), '0:0 1:0');
    assert.equal(tasksText(story.heartbeat('b', 1)), '0:1 1:1');
  });

  test('a task moves only after its owner has given it up', () => {
    const story = ready();
    const a = story.join('a');
    assert.equal(tasksText(a), '0:0,1 1:0,1');
    const b = story.join('b');
    assert.equal(tasksText(b), '');
    const revoking = story.heartbeat('a', a.memberEpoch, { owned: all });
    assert.equal(revoking.memberEpoch, a.memberEpoch);
    const kept = revoking.tasks!;
    assert.equal(tasksText(story.heartbeat('b', b.memberEpoch)), null);
    const given = story.heartbeat('a', a.memberEpoch, { owned: kept });
    assert.ok(given.memberEpoch > a.memberEpoch);
    const taken = story.heartbeat('b', b.memberEpoch);
    const count = (tasks: typeof kept) =>
      tasks.active.reduce((sum, { partitions }) => sum + partitions.length, 0);
    assert.deepEqual([count(kept), count(taken.tasks!)], [2, 2]);
    assert.equal(stateOf(story.group), 'Stable');
  });

  test('standbys go to other processes, and a change of the config brings them', () => {
    const story = ready();
    const a = story.join('a');
    const b = story.join('b', { processId: 'a' });
    story.rules = { ...story.rules, standbyCount: 1 };
    story.heartbeat('a', a.memberEpoch, { owned: { active: [], standby: [] } });
    assert.equal(story.group.standbyTargets.get('a')!.size + story.group.standbyTargets.get('b')!.size, 0);
    story.join('c', { processId: 'c' });
    const copies = ['a', 'b', 'c'].flatMap((memberId) => [
      ...(story.group.standbyTargets.get(memberId)?.get('1') ?? []),
    ]);
    assert.deepEqual(copies.toSorted(), [0, 1]);
    assert.ok(b.memberEpoch > 0);
  });

  test('standbys prefer a rack that has no copy', () => {
    const story = ready({ standbyCount: 1 });
    for (const [memberId, rackId] of [
      ['a', 'x'],
      ['b', 'x'],
      ['c', 'y'],
      ['d', 'y'],
    ] as const)
      story.join(memberId, { rackId });
    const rackOf = (memberId: string) => story.group.member(memberId)!.rackId;
    for (const partition of [0, 1]) {
      const holder = (tasks: 'active' | 'standby') =>
        [...story.group.members.keys()].find((id) =>
          story.group.tasksOf(id)[tasks].get('1')?.includes(partition),
        )!;
      assert.notEqual(rackOf(holder('active')), rackOf(holder('standby')));
    }
  });

  test('a member that asks all to stop is named to all, until the group has no members', () => {
    const story = ready();
    const a = story.join('a');
    const b = story.join('b');
    story.heartbeat('a', a.memberEpoch, { shutdownApplication: true });
    assert.deepEqual(
      story.heartbeat('b', b.memberEpoch).status.map(({ status }) => status),
      ['SHUTDOWN_APPLICATION'],
    );
    story.heartbeat('a', -1);
    story.heartbeat('b', -1);
    assert.deepEqual(story.join('c').status, []);
  });

  test('a static member comes back to its tasks under another id', () => {
    const story = ready();
    story.join('a', { instanceId: 'one' });
    assert.equal(story.join('b', { instanceId: 'one' }).error, 'UNRELEASED_INSTANCE_ID');
    story.heartbeat('a', -2, { instanceId: 'one' });
    const { epoch } = story.group;
    const back = story.join('b', { instanceId: 'one', processId: 'a' });
    assert.equal(tasksText(back), '0:0,1 1:0,1');
    assert.equal(story.group.epoch, epoch);
    assert.equal(story.heartbeat('a', 1, { instanceId: 'one' }).error, 'FENCED_INSTANCE_ID');
  });

  test('endpoints learn what the others serve', () => {
    const story = ready();
    const endpoint = { host: 'h', port: 80 };
    const a = story.join('a', { endpoint });
    assert.deepEqual(a.endpoints, [
      {
        endpoint,
        active: [
          { topic: 't', partitions: [0, 1] },
          { topic: 'r', partitions: [0, 1] },
        ],
        standby: [],
      },
    ]);
    assert.equal(story.heartbeat('a', a.memberEpoch, { endpointEpoch: a.endpointEpoch }).endpoints, null);
  });

  const other: StreamsTopology = { epoch: 0, subtopologies: [subtopologyOf('0', { from: ['t'] })] };
  const refusals: readonly (readonly [
    string,
    Partial<StreamsHeartbeat> & { memberEpoch?: number },
    string,
  ])[] = [
    ['a joining member without topology', { topology: null }, 'INVALID_REQUEST'],
    ['a joining member with tasks', { owned: all }, 'INVALID_REQUEST'],
    ['a topology of another shape', { topology: other }, 'INVALID_REQUEST'],
    ['a member without id', { memberId: '' }, 'INVALID_REQUEST'],
    ['a member that is unknown', { memberEpoch: 7, topology: null }, 'UNKNOWN_MEMBER_ID'],
    [
      'a changelog with a count of its own',
      {
        topology: {
          epoch: 1,
          subtopologies: [
            {
              ...subtopologyOf('0', { from: ['t'] }),
              changelogTopics: [{ name: 'c', partitionCount: 2, replicationFactor: 0, configs: {} }],
            },
          ],
        },
      },
      'STREAMS_INVALID_TOPOLOGY',
    ],
    [
      'a subtopology without sources',
      { topology: { epoch: 0, subtopologies: [subtopologyOf('0', { from: [] })] } },
      'STREAMS_INVALID_TOPOLOGY',
    ],
    [
      'a billion partitions',
      {
        topology: {
          epoch: 0,
          subtopologies: [subtopologyOf('0', { from: [], through: { r: 1e9 }, to: ['r'] })],
        },
      },
      'STREAMS_INVALID_TOPOLOGY',
    ],
  ];
  for (const [name, fields, error] of refusals) {
    test(`refuses ${name}`, () => {
      const story = ready();
      story.join('a');
      const { memberEpoch = 0, ...rest } = fields;
      const before = story.group.epoch;
      const joining = { rebalanceTimeoutMs: 30_000, topology: counting, owned: { active: [], standby: [] } };
      assert.equal(story.heartbeat('x', memberEpoch, { ...joining, ...rest }).error, error);
      assert.equal(story.group.epoch, before);
    });
  }

  test('an earlier topology is served and told that it is stale', () => {
    const story = ready();
    story.join('a', { topology: { ...counting, epoch: 3 } });
    const joined = story.join('b', { topology: { ...other, epoch: 2 } });
    assert.deepEqual(
      joined.status.map(({ status }) => status),
      ['STALE_TOPOLOGY'],
    );
  });

  test('commits of an earlier epoch count for tasks that the member had then', () => {
    const story = ready();
    const a = story.join('a');
    const early = a.memberEpoch;
    const b = story.join('b');
    const revoking = story.heartbeat('a', early, { owned: all }).tasks!;
    const now = story.heartbeat('a', early, { owned: revoking }).memberEpoch;
    story.heartbeat('b', b.memberEpoch);
    const commit = (memberId: string, epoch: number, topicId: string, partition: number) =>
      checkCommit(
        story.group,
        { groupId: 'g', memberId, generationIdOrMemberEpoch: epoch, groupInstanceId: null },
        false,
        [{ topicId, partition }],
        story.topics,
      );
    const kept = revoking.active.find(({ subtopologyId }) => subtopologyId === '0')!.partitions[0]!;
    assert.equal(commit('a', now, 't#1', kept), 'NONE');
    assert.equal(commit('a', early, 't#1', kept), 'NONE');
    assert.equal(commit('a', early, 't#1', 1 - kept), 'STALE_MEMBER_EPOCH');
    assert.equal(commit('a', now + 1, 't#1', kept), 'STALE_MEMBER_EPOCH');
    assert.equal(commit('b', early, 't#1', 1 - kept), 'STALE_MEMBER_EPOCH');
    assert.equal(commit('nobody', early, 't#1', kept), 'UNKNOWN_MEMBER_ID');
  });
});

describe('a topology is configured', () => {
  const cases: readonly (readonly [string, StreamsTopology, Readonly<Record<string, number>>, unknown])[] = [
    ['sources are missing', counting, {}, 'MISSING_SOURCE_TOPICS'],
    ['an internal topic has another count', counting, { t: 2, r: 2, c: 3 }, 'INCORRECTLY_PARTITIONED_TOPICS'],
    [
      'topics that are joined differ',
      { epoch: 0, subtopologies: [subtopologyOf('0', { from: ['t', 'u'], together: ['t', 'u'] })] },
      { t: 2, u: 3 },
      'INCORRECTLY_PARTITIONED_TOPICS',
    ],
    [
      'a repartition topic that is joined gets the count of the other side',
      {
        epoch: 0,
        subtopologies: [
          subtopologyOf('0', { from: ['t'], to: ['r'] }),
          subtopologyOf('1', { from: ['u'], through: { r: 0 }, together: ['u', 'r'], stores: ['c'] }),
        ],
      },
      { t: 2, u: 5 },
      { r: 5, c: 5 },
    ],
    [
      'a repartition topic keeps the count that it names',
      {
        epoch: 0,
        subtopologies: [
          subtopologyOf('0', { from: ['t'], to: ['r'] }),
          subtopologyOf('1', { from: [], through: { r: 7 }, stores: ['c'] }),
        ],
      },
      { t: 2 },
      { r: 7, c: 7 },
    ],
    [
      'a loop has no counts',
      {
        epoch: 0,
        subtopologies: [
          subtopologyOf('0', { from: [], through: { r: 0 }, to: ['s'] }),
          subtopologyOf('1', { from: [], through: { s: 0 }, to: ['r'] }),
        ],
      },
      {},
      'invalid',
    ],
  ];
  for (const [name, topology, topics, expected] of cases) {
    test(name, () => {
      const { topics: view } = new StreamsStory(topics);
      const { problem, invalid, topicsToCreate } = configureTopology(topology, view);
      const counts = Object.fromEntries(topicsToCreate.map((topic) => [topic.name, topic.partitionCount]));
      const found =
        invalid === undefined ? (topicsToCreate.length > 0 ? counts : problem?.status) : 'invalid';
      assert.deepEqual(found, expected);
    });
  }
});
