import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClassicStory, type JoinRequest } from '../../testing/classic-story.ts';

/** A stable group of `a` (the leader) and `b`, in generation 2. */
function stable(
  rules: ConstructorParameters<typeof ClassicStory>[0] = {},
  request: JoinRequest = {},
): ClassicStory {
  const story = new ClassicStory(rules);
  story.join('a', request);
  story.sync('a', 'a-id:all');
  story.join('b', request);
  story.rejoin('a', request);
  story.sync('b');
  story.sync('a', 'a-id:1,b-id:2');
  assert.equal(story.group.state, 'Stable');
  assert.equal(story.group.generationId, 2);
  return story;
}

/** The metadata of a consumer: version 1 and its subscribed topics. */
function subscription(...topics: string[]): string {
  const head = Buffer.alloc(6);
  head.writeInt16BE(1, 0);
  head.writeInt32BE(topics.length, 2);
  const names = topics.map((topic) => Buffer.concat([Buffer.from([0, topic.length]), Buffer.from(topic)]));
  return Buffer.concat([head, ...names]).toString('latin1');
}

test('members join, the leader assigns, all members get their assignment', () => {
  const story = new ClassicStory({ initialRebalanceDelayMs: 3_000 });
  assert.deepEqual(story.join('a', { protocols: 'range:x' }), []);
  assert.deepEqual(story.join('b', { protocols: 'range:y' }), []);
  assert.deepEqual(story.pass(5_999), []);
  assert.deepEqual(story.pass(1), [
    'a joined 1 range as a-id, leads [a-id=x b-id=y]',
    'b joined 1 range as b-id, follows a-id',
  ]);
  assert.equal(story.heartbeat('b'), 'NONE', 'members may send heartbeats before SyncGroup');
  assert.deepEqual(story.sync('b'), []);
  assert.deepEqual(story.sync('a', 'a-id:1,b-id:2,nobody:3'), ['a synced "1"', 'b synced "2"']);
  assert.equal(story.group.state, 'Stable');
  assert.equal(story.heartbeat('a'), 'NONE');
  assert.equal(story.saves, 2, 'one save for the generation and one for its assignment');
});

test('the first rebalance waits while members join, up to the rebalance timeout', () => {
  const story = new ClassicStory({ initialRebalanceDelayMs: 3_000 });
  const request = { rebalanceTimeoutMs: 8_000 };
  story.join('a', request);
  story.pass(2_000);
  story.join('b', request);
  assert.deepEqual(story.pass(3_999), [], 'the join of b extends the delay by 3 s');
  story.join('c', request);
  assert.deepEqual(story.pass(1), []);
  assert.deepEqual(story.pass(2_000).length, 3, 'the rebalance timeout of 8 s bounds the delay');
});

const refusedJoins: [what: string, request: JoinRequest, answer: string][] = [
  ['a session timeout that is too short', { sessionTimeoutMs: 5_999 }, 'INVALID_SESSION_TIMEOUT'],
  ['a session timeout that is too long', { sessionTimeoutMs: 1_800_001 }, 'INVALID_SESSION_TIMEOUT'],
  ['another protocol type', { protocolType: 'connect' }, 'INCONSISTENT_GROUP_PROTOCOL'],
  ['no protocol type', { protocolType: '' }, 'INCONSISTENT_GROUP_PROTOCOL'],
  ['no protocol', { protocols: '' }, 'INCONSISTENT_GROUP_PROTOCOL'],
  ['no common protocol', { protocols: 'sticky:' }, 'INCONSISTENT_GROUP_PROTOCOL'],
  ['a duplicate protocol', { protocols: 'range:a,range:b' }, 'INVALID_REQUEST'],
  ['an unknown member id', { memberId: 'c-id' }, 'UNKNOWN_MEMBER_ID c-id'],
  ['an unknown instance id', { memberId: 'a-id', instance: 'i' }, 'UNKNOWN_MEMBER_ID a-id'],
  [
    'metadata above the limit of a group',
    { protocols: `range:${'x'.repeat(10_001)}` },
    'GROUP_MAX_SIZE_REACHED',
  ],
];

for (const [what, request, answer] of refusedJoins) {
  test(`a join is refused: ${what}`, () => {
    const story = stable();
    assert.deepEqual(story.join('c', request), [`c ${answer}`]);
    assert.equal(story.group.state, 'Stable');
    assert.equal(story.group.members.size, 2);
  });
}

test('a new dynamic member gets an id and must join with it within its session timeout', () => {
  const story = new ClassicStory();
  const request = { requiresKnownMemberId: true };
  assert.deepEqual(story.join('a', request), ['a MEMBER_ID_REQUIRED a-id']);
  assert.equal(story.group.state, 'Empty');
  assert.deepEqual(story.join('a', { ...request, memberId: 'a-id' }), [
    'a joined 1 range as a-id, leads [a-id=]',
  ]);
  assert.deepEqual(story.join('b', request), ['b MEMBER_ID_REQUIRED b-id']);
  story.sync('a', 'a-id:1');
  story.pass(9_999);
  story.heartbeat('a');
  story.pass(1);
  assert.equal(story.group.pending.size, 0);
  assert.deepEqual(story.join('b', { ...request, memberId: 'b-id' }), ['b UNKNOWN_MEMBER_ID b-id']);
});

test('a rebalance waits for pending member ids until they expire', () => {
  const story = stable();
  story.join('c', { requiresKnownMemberId: true });
  story.rejoin('a');
  assert.deepEqual(story.rejoin('b'), [], 'the pending id of c delays the rebalance');
  assert.deepEqual(
    story.pass(10_000).map((answer) => answer.split(',')[0]),
    ['a joined 3 range as a-id', 'b joined 3 range as b-id'],
  );
});

test('a new member of a lost agent neither delays a rebalance nor becomes the leader', () => {
  const story = new ClassicStory({ initialRebalanceDelayMs: 3_000 });
  story.join('a', { agentId: 'dead' });
  story.join('b', { agentId: 'alive' });
  assert.deepEqual(story.agentsGone('dead'), ['a UNKNOWN_MEMBER_ID a-id']);
  story.join('c', { agentId: 'alive' });
  assert.deepEqual(story.pass(6_000), [
    'b joined 1 range as b-id, leads [b-id= c-id=]',
    'c joined 1 range as c-id, follows b-id',
  ]);
  assert.deepEqual(story.rejoin('a'), ['a UNKNOWN_MEMBER_ID a-id']);
});

test('a rebalance that waits for a member of a lost agent completes', () => {
  const story = stable();
  story.join('c', { agentId: 'dead' });
  story.join('d', { requiresKnownMemberId: true, agentId: 'dead' });
  story.rejoin('a');
  assert.deepEqual(story.rejoin('b'), [], 'the rebalance waits for d');
  assert.deepEqual(story.agentsGone('other'), []);
  assert.deepEqual(
    story.agentsGone('dead').map((answer) => answer.split(',')[0]),
    ['c UNKNOWN_MEMBER_ID c-id', 'a joined 3 range as a-id', 'b joined 3 range as b-id'],
  );
});

test('a member of a generation stays when its agent is lost, and can rejoin through another agent', () => {
  const story = stable({}, { agentId: 'dead' });
  story.rejoin('a', { agentId: 'dead' });
  assert.deepEqual(story.agentsGone('dead'), ['a REBALANCE_IN_PROGRESS a-id']);
  assert.deepEqual(story.rejoin('b', { agentId: 'alive' }), [], 'the rebalance waits for a');
  assert.deepEqual(story.rejoin('a', { agentId: 'alive' }), [
    'a joined 3 range as a-id, leads [a-id= b-id=]',
    'b joined 3 range as b-id, follows a-id',
  ]);
  assert.deepEqual(story.agentsGone('dead', 'alive'), []);
});

test('a rebalance waits one session for a lost member of a generation, which does not become the leader', () => {
  const story = stable({}, { agentId: 'dead' });
  story.rejoin('a', { agentId: 'dead' });
  story.pass(5_000);
  story.agentsGone('dead');
  story.rejoin('b', { agentId: 'alive' });
  assert.deepEqual(story.pass(9_999), []);
  assert.deepEqual(story.pass(1), ['b joined 3 range as b-id, leads [b-id=]']);
});

test('a long session ends sooner when the agent is lost, unless the member sends a request or is static', () => {
  const long = { sessionTimeoutMs: 45_000, rebalanceTimeoutMs: 60_000 };
  const story = stable({ sessionTimeoutMsMax: 60_000 }, { ...long, agentId: 'dead' });
  story.agentsGone('dead');
  story.pass(10_000);
  story.heartbeat('b');
  story.pass(4_999);
  assert.equal(story.group.members.size, 2);
  story.pass(1);
  assert.deepEqual([...story.group.members.keys()], ['b-id']);
  story.pass(29_000);
  assert.deepEqual([...story.group.members.keys()], ['b-id'], 'a request restores the full session');

  const restarting = new ClassicStory({ sessionTimeoutMsMax: 60_000, initialRebalanceDelayMs: 0 });
  restarting.join('s', { ...long, instance: 'i', agentId: 'dead' });
  restarting.agentsGone('dead');
  restarting.pass(44_999);
  assert.equal(restarting.group.members.size, 1);
});

test('a group whose members were all lost with their agent becomes empty', () => {
  const story = new ClassicStory({ initialRebalanceDelayMs: 3_000 });
  story.join('a', { agentId: 'dead' });
  story.agentsGone('dead');
  assert.equal(story.group.state, 'Empty');
});

test('a group whose members all leave while its first rebalance waits is empty at once, and waits anew', () => {
  const story = new ClassicStory({ initialRebalanceDelayMs: 3_000 });
  story.join('a');
  story.join('b', { requiresKnownMemberId: true });
  story.pass(1_000);
  assert.deepEqual(story.leave('a-id'), ['a UNKNOWN_MEMBER_ID a-id', 'leave NONE']);
  assert.equal(story.group.state, 'Empty');
  assert.equal(story.commit('', -1), 'NONE', 'a consumer without a member id may commit');
  assert.deepEqual(story.rejoin('b'), [], 'the id that b got before is still good');
  assert.deepEqual(story.pass(2_999), []);
  assert.deepEqual(story.pass(1), ['b joined 2 range as b-id, leads [b-id=]']);
});

test('the selected protocol is the one that all members support and most prefer', () => {
  const story = new ClassicStory({ initialRebalanceDelayMs: 100 });
  story.join('a', { protocols: 'range:,sticky:,mine:' });
  story.join('b', { protocols: 'sticky:,range:' });
  story.join('c', { protocols: 'yours:,sticky:,range:' });
  story.pass(200);
  assert.equal(story.group.protocolName, 'sticky');
});

test('a full group refuses new members', () => {
  const story = stable({ groupSizeMax: 2 });
  assert.deepEqual(story.join('c'), ['c GROUP_MAX_SIZE_REACHED']);
  story.rejoin('a');
  assert.deepEqual(story.join('c').length, 0, 'during a rebalance only joined members count');
  assert.deepEqual(story.join('d'), ['d GROUP_MAX_SIZE_REACHED']);
});

test('a rejoining leader starts a rebalance, a follower with unchanged metadata does not', () => {
  const story = stable();
  assert.deepEqual(story.rejoin('b'), ['b joined 2 range as b-id, follows a-id']);
  assert.equal(story.group.state, 'Stable');
  assert.deepEqual(story.rejoin('a'), []);
  assert.equal(story.group.state, 'PreparingRebalance');
  assert.equal(story.heartbeat('b'), 'REBALANCE_IN_PROGRESS');
  assert.equal(story.rejoin('b').length, 2);
  assert.equal(story.group.generationId, 3);
});

test('a follower with changed metadata starts a rebalance', () => {
  const story = stable();
  assert.deepEqual(story.rejoin('b', { protocols: 'range:new' }), []);
  assert.equal(story.group.state, 'PreparingRebalance');
});

test('cooperative members rebalance twice, and their metadata is passed to the leader', () => {
  const story = stable({}, { protocols: 'cooperative-sticky:' });
  story.rejoin('a', { protocols: 'cooperative-sticky:owns 1 2' });
  assert.deepEqual(story.rejoin('b', { protocols: 'cooperative-sticky:owns 3' }), [
    'a joined 3 cooperative-sticky as a-id, leads [a-id=owns 1 2 b-id=owns 3]',
    'b joined 3 cooperative-sticky as b-id, follows a-id',
  ]);
  story.sync('b');
  story.sync('a', 'a-id:1,b-id:3');
  story.rejoin('a', { protocols: 'cooperative-sticky:owns 1' });
  assert.deepEqual(story.rejoin('b', { protocols: 'cooperative-sticky:owns 3' }), [
    'a joined 4 cooperative-sticky as a-id, leads [a-id=owns 1 b-id=owns 3]',
    'b joined 4 cooperative-sticky as b-id, follows a-id',
  ]);
});

test('a repeated join returns the same answer while the leader assigns', () => {
  const story = new ClassicStory();
  story.join('a');
  assert.deepEqual(story.rejoin('a'), ['a joined 1 range as a-id, leads [a-id=]']);
  assert.equal(story.group.generationId, 1);
  assert.deepEqual(story.rejoin('a', { protocols: 'range:new' }), [
    'a joined 2 range as a-id, leads [a-id=new]',
  ]);
});

test('a repeated request replaces the waiting one, which gets an error', () => {
  const story = stable();
  story.rejoin('b', { protocols: 'range:new' });
  assert.deepEqual(story.join('b again', { memberId: 'b-id', protocols: 'range:new' }), [
    'b REBALANCE_IN_PROGRESS b-id',
  ]);
  assert.deepEqual(
    story.rejoin('a').map((answer) => answer.split(',')[0]),
    ['a joined 3 range as a-id', 'b again joined 3 range as b-id'],
  );
  story.sync('b');
  assert.deepEqual(story.sync('b again', '', { memberId: 'b-id' }), ['b REBALANCE_IN_PROGRESS']);
});

test('a member that does not rejoin in time is removed', () => {
  const story = stable();
  story.rejoin('a');
  for (let second = 0; second < 59; second++) {
    story.pass(1_000);
    assert.equal(story.heartbeat('b'), 'REBALANCE_IN_PROGRESS', 'heartbeats keep the session');
  }
  assert.deepEqual(story.pass(1_000), ['a joined 3 range as a-id, leads [a-id=]']);
  assert.equal(story.heartbeat('b'), 'UNKNOWN_MEMBER_ID');
});

test('a member whose session expires is removed, and another member leads', () => {
  const story = stable();
  story.pass(6_000);
  story.heartbeat('b');
  story.pass(4_000);
  assert.equal(story.group.state, 'PreparingRebalance');
  assert.equal(story.group.leaderId, 'b-id');
  assert.deepEqual(story.rejoin('b'), ['b joined 3 range as b-id, leads [b-id=]']);
});

test('a member whose session expires during a rebalance does not delay the others', () => {
  const story = stable();
  story.rejoin('a');
  assert.deepEqual(story.pass(10_000), ['a joined 3 range as a-id, leads [a-id=]']);
});

test('a member that waits for an answer keeps its session', () => {
  const story = new ClassicStory();
  story.join('a');
  story.sync('a', 'a-id:1');
  story.join('b');
  story.rejoin('a');
  assert.deepEqual(story.sync('b'), []);
  for (let second = 0; second < 5; second++) {
    story.pass(9_000);
    story.heartbeat('a');
  }
  assert.deepEqual(story.waiting, ['b']);
});

test('a member that joined but sends no SyncGroup is removed after the rebalance timeout', () => {
  const story = new ClassicStory();
  story.join('a');
  story.sync('a', 'a-id:1');
  story.join('b');
  story.rejoin('a');
  story.sync('a', 'a-id:1,b-id:2');
  assert.equal(story.group.state, 'Stable');
  for (let second = 0; second < 60; second++) {
    story.heartbeat('a');
    story.heartbeat('b');
    story.pass(1_000);
  }
  assert.equal(story.group.state, 'PreparingRebalance');
  assert.equal(story.group.members.size, 1);
});

test('a new member without an answer for five minutes must join again', () => {
  const story = stable({}, { rebalanceTimeoutMs: 3_600_000 });
  story.join('c', { rebalanceTimeoutMs: 3_600_000 });
  for (let second = 0; second < 299; second++) {
    story.pass(1_000);
    story.heartbeat('a');
    story.heartbeat('b');
  }
  assert.deepEqual(story.pass(1_000), ['c UNKNOWN_MEMBER_ID c-id']);
});

const syncs: [what: string, run: (story: ClassicStory) => string[], answer: string][] = [
  ['of an unknown member', (story) => story.sync('c'), 'c UNKNOWN_MEMBER_ID'],
  ['of an older generation', (story) => story.sync('b', '', { generationId: 1 }), 'b ILLEGAL_GENERATION'],
  [
    'with another protocol type',
    (story) => story.sync('b', '', { type: 'connect' }),
    'b INCONSISTENT_GROUP_PROTOCOL',
  ],
  [
    'with another protocol',
    (story) => story.sync('b', '', { protocol: 'x' }),
    'b INCONSISTENT_GROUP_PROTOCOL',
  ],
  [
    'with the selected protocol',
    (story) => story.sync('b', '', { type: 'consumer', protocol: 'range' }),
    'b synced "2"',
  ],
  ['in a stable group', (story) => story.sync('b'), 'b synced "2"'],
  ['of an unknown instance id', (story) => story.sync('b', '', { instance: 'i' }), 'b UNKNOWN_MEMBER_ID'],
];

for (const [what, run, answer] of syncs) {
  test(`a sync ${what}`, () => assert.deepEqual(run(stable()), [answer]));
}

test('a SyncGroup during a rebalance fails with REBALANCE_IN_PROGRESS, waiting ones included', () => {
  const story = stable();
  story.rejoin('a');
  assert.deepEqual(story.sync('b'), ['b REBALANCE_IN_PROGRESS']);
  story.rejoin('b');
  story.sync('b');
  assert.deepEqual(story.join('c'), ['b REBALANCE_IN_PROGRESS'], 'c joined while b waited for the leader');
});

test('an assignment that is too large is refused, and a smaller one accepted', () => {
  const story = new ClassicStory();
  story.join('a');
  assert.deepEqual(story.sync('a', `a-id:${'x'.repeat(1_001)}`), ['a INVALID_REQUEST']);
  assert.deepEqual(story.sync('a', 'a-id:x'), ['a synced "x"']);
});

test('heartbeats', () => {
  const story = stable();
  assert.equal(story.heartbeat('c'), 'UNKNOWN_MEMBER_ID');
  assert.equal(story.heartbeat('a', 1), 'ILLEGAL_GENERATION');
  assert.equal(story.heartbeat('a', 2, 'i'), 'UNKNOWN_MEMBER_ID');
  assert.equal(new ClassicStory().heartbeat('a'), 'UNKNOWN_MEMBER_ID');
});

test('members leave in a batch, each with its own error', () => {
  const story = stable();
  story.join('c', { requiresKnownMemberId: true });
  assert.deepEqual(story.leave('a-id', 'x-id', 'c-id', '/i', 'a-id'), [
    'leave NONE,UNKNOWN_MEMBER_ID,NONE,UNKNOWN_MEMBER_ID,UNKNOWN_MEMBER_ID',
  ]);
  assert.equal(story.group.state, 'PreparingRebalance');
  assert.equal(story.group.leaderId, 'b-id');
});

test('a pending member id that leaves does not start a rebalance', () => {
  const story = stable();
  story.join('c', { requiresKnownMemberId: true });
  assert.deepEqual(story.leave('c-id'), ['leave NONE']);
  assert.equal(story.group.state, 'Stable');
});

test('a group without members is empty, continues its generations and can be deleted', () => {
  const story = stable();
  assert.equal(story.delete(), 'NON_EMPTY_GROUP');
  story.leave('a-id', 'b-id');
  assert.equal(story.group.state, 'Empty');
  assert.equal(story.group.generationId, 3);
  assert.equal(story.commit('', -1), 'NONE');
  assert.deepEqual(story.join('c'), ['c joined 4 range as c-id, leads [c-id=]']);
  story.leave('c-id');
  assert.equal(story.delete(), 'NONE');
  assert.equal(story.group.state, 'Dead');
  assert.deepEqual(story.join('d'), ['d UNKNOWN_MEMBER_ID']);
  assert.equal(story.heartbeat('a'), 'UNKNOWN_MEMBER_ID');
  assert.equal(story.commit('', -1), 'GROUP_ID_NOT_FOUND');
});

test('the waiting request of a removed member is answered', () => {
  const story = stable();
  story.rejoin('a');
  assert.deepEqual(story.leave('a-id'), ['a UNKNOWN_MEMBER_ID a-id', 'leave NONE']);
});

test('a static member needs no member id in advance, and rejoins with another id', () => {
  const story = new ClassicStory();
  const request = { instance: 'one', requiresKnownMemberId: true };
  assert.deepEqual(story.join('a', request), ['a joined 1 range as a-id, leads [a-id=]']);
  story.sync('a', 'a-id:1');
  const savesBefore = story.saves;
  assert.deepEqual(
    story.join('a2', request),
    ['a2 joined 1 range as a2-id, follows a-id'],
    'the leader does not assign again',
  );
  assert.equal(story.saves, savesBefore + 1, 'the new member id is durable before the answer');
  assert.equal(story.group.state, 'Stable');
  assert.deepEqual(
    story.sync('a2', '', { instance: 'one' }),
    ['a2 synced "1"'],
    'the assignment is unchanged',
  );
  assert.equal(story.heartbeat('a', 1, 'one'), 'FENCED_INSTANCE_ID');
  assert.deepEqual(story.sync('a', '', { instance: 'one' }), ['a FENCED_INSTANCE_ID']);
  assert.deepEqual(story.rejoin('a', request), ['a FENCED_INSTANCE_ID a-id']);
  assert.equal(story.commit('a-id', 1, { instance: 'one' }), 'FENCED_INSTANCE_ID');
  assert.deepEqual(story.leave('a-id/one'), ['leave FENCED_INSTANCE_ID']);
  assert.equal(story.group.leaderId, 'a2-id');
});

test('a rejoining static leader gets skipAssignment, if it supports it', () => {
  const story = new ClassicStory();
  const request = { instance: 'one', supportsSkipAssignment: true };
  story.join('a', request);
  story.sync('a', 'a-id:1');
  assert.deepEqual(story.join('a2', request), [
    'a2 joined 1 range as a2-id, leads [a2-id=] without assigning',
  ]);
});

test('a static member that rejoins during a rebalance takes part in it', () => {
  const story = stable({}, {});
  story.join('s', { instance: 'one' });
  story.rejoin('a');
  story.rejoin('b');
  assert.equal(story.group.state, 'CompletingRebalance');
  assert.deepEqual(story.join('s2', { instance: 'one' }), [], 'the leader may know it under its old id');
  assert.equal(story.group.state, 'PreparingRebalance');
  assert.deepEqual(story.join('s3', { instance: 'one' }), ['s2 FENCED_INSTANCE_ID s2-id']);
  story.rejoin('a');
  assert.equal(story.rejoin('b').length, 3);
});

const comebacks: [what: string, before: string, after: string, state: string][] = [
  ['the same topics', subscription('x', 'y'), `${subscription('y', 'x')}owns 7`, 'Stable'],
  ['other topics', subscription('x'), subscription('x', 'z'), 'PreparingRebalance'],
  ['unreadable metadata', 'abc', 'abd', 'Stable'],
];

for (const [what, before, after, state] of comebacks) {
  test(`a static member rejoins with ${what}: ${state}`, () => {
    const story = stable({}, { protocols: `range:${before}` });
    story.join('s', { instance: 'one', protocols: `range:${before}` });
    story.rejoin('a', { protocols: `range:${before}` });
    story.rejoin('b', { protocols: `range:${before}` });
    story.sync('a', 's-id:3');
    story.join('s2', { instance: 'one', protocols: `range:${after}` });
    assert.equal(story.group.state, state);
  });
}

test('an absent static member is part of the next generation until its session expires', () => {
  const story = stable();
  story.join('s', { instance: 'one', sessionTimeoutMs: 200_000 });
  story.rejoin('a');
  story.rejoin('b');
  story.sync('s', '', { instance: 'one' });
  story.sync('b');
  story.sync('a', 's-id:3');
  story.rejoin('a');
  story.rejoin('b');
  const answers = story.pass(60_000);
  assert.match(answers[0]!, /a joined 4 range as a-id, leads \[a-id= b-id= s-id=\]/);
  for (let second = 0; second < 140; second++) {
    if (second === 0) story.sync('a', '');
    if (second === 0) story.sync('b');
    story.heartbeat('a');
    story.heartbeat('b');
    story.pass(1_000);
  }
  assert.equal(story.group.state, 'PreparingRebalance');
  assert.equal(story.group.members.size, 2);
});

test('any client can remove a static member by its instance id', () => {
  const story = stable();
  story.join('s', { instance: 'one' });
  assert.deepEqual(story.leave('/one'), ['s UNKNOWN_MEMBER_ID s-id', 'leave NONE']);
  assert.equal(story.group.members.size, 2);
});

type Commit = [memberId: string, generationId: number, error: string, inTransaction: string];

const commits: [state: string, story: () => ClassicStory, rows: Commit[]][] = [
  [
    'an empty group',
    () => new ClassicStory(),
    [
      ['', -1, 'NONE', 'NONE'],
      ['a-id', -1, 'NONE', 'NONE'],
      ['a-id', 1, 'UNKNOWN_MEMBER_ID', 'UNKNOWN_MEMBER_ID'],
    ],
  ],
  [
    'a stable group',
    () => stable(),
    [
      ['', -1, 'UNKNOWN_MEMBER_ID', 'NONE'],
      ['a-id', 2, 'NONE', 'NONE'],
      ['a-id', 1, 'ILLEGAL_GENERATION', 'ILLEGAL_GENERATION'],
      ['a-id', -1, 'ILLEGAL_GENERATION', 'ILLEGAL_GENERATION'],
      ['x-id', 2, 'UNKNOWN_MEMBER_ID', 'UNKNOWN_MEMBER_ID'],
    ],
  ],
  [
    'a group in PreparingRebalance',
    () => {
      const story = stable();
      story.rejoin('a');
      return story;
    },
    [
      ['b-id', 2, 'NONE', 'NONE'],
      ['', -1, 'UNKNOWN_MEMBER_ID', 'NONE'],
    ],
  ],
  [
    'a group in CompletingRebalance',
    () => {
      const story = stable();
      story.rejoin('a');
      story.rejoin('b');
      return story;
    },
    [
      ['b-id', 3, 'REBALANCE_IN_PROGRESS', 'NONE'],
      ['b-id', 2, 'ILLEGAL_GENERATION', 'ILLEGAL_GENERATION'],
      ['', -1, 'UNKNOWN_MEMBER_ID', 'NONE'],
    ],
  ],
];

for (const [state, make, rows] of commits) {
  test(`checks of offset commits of ${state}`, () => {
    for (const [memberId, generationId, error, inTransaction] of rows) {
      const what = `${memberId} ${generationId}`;
      assert.equal(make().commit(memberId, generationId), error, what);
      assert.equal(make().commit(memberId, generationId, { isTransactional: true }), inTransaction, what);
    }
  });
}

test('a commit extends the session', () => {
  const story = stable();
  story.pass(9_000);
  story.commit('a-id', 2);
  story.heartbeat('b');
  story.pass(9_000);
  assert.equal(story.group.members.size, 2);
});
