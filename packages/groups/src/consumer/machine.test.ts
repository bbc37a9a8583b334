import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePattern } from '@weir/cluster';
import { asText, ConsumerStory, type HeartbeatOptions } from '../../testing/consumer-story.ts';
import { checkCommit, checkFetch, nextDeadlineMs, stateOf } from './machine.ts';

test('a member gives up a partition before another one gets it', () => {
  const story = new ConsumerStory({ t: 4 });
  assert.equal(story.join('a'), '1 t:0,1,2,3');
  assert.equal(stateOf(story.group), 'Stable');
  // No partition is free yet.
  assert.equal(story.join('b'), '2');
  assert.equal(stateOf(story.group), 'Reconciling');
  // a stays in its epoch and gets the part that it retains.
  assert.equal(story.beat('a', 1), '1 t:0,1');
  assert.equal(story.beat('b', 2), '2 =');
  assert.equal(story.beat('a', 1), '1 =');
  assert.equal(story.beat('a', 1, { ownedPartitions: story.owned('t:0,1,3') }), '1 t:0,1');
  assert.equal(story.beat('a', 1, { ownedPartitions: story.owned('t:0,1') }), '2 =');
  assert.equal(story.beat('b', 2), '2 t:2,3');
  assert.equal(story.beat('b', 2), '2 =');
  assert.equal(stateOf(story.group), 'Stable');
});

test('only changed members are written', () => {
  const story = new ConsumerStory({ t: 4 });
  const steps: [what: () => string, written: string][] = [
    [() => story.join('a'), 'group a'],
    [() => story.beat('a', 1), ''],
    [() => story.beat('a', 1, { ownedPartitions: story.owned('t:0,1,2,3') }), ''],
    [() => story.join('b'), 'group b'],
    [() => story.beat('a', 1), 'a'],
    [() => story.beat('a', 1), ''],
    [() => story.beat('a', 1, { ownedPartitions: story.owned('t:0,1') }), 'a'],
    [() => story.beat('b', 2), 'b'],
    [() => story.beat('b', 2, { rackId: 'r' }), 'b'],
    [() => story.beat('b', 2, { rackId: 'r' }), ''],
    [() => story.beat('a', -1), 'group -a'],
    [() => story.beat('b', 2), 'group b'],
  ];
  for (const [index, [what, written]] of steps.entries()) {
    what();
    assert.equal(story.written, written, `step ${index}`);
  }
});

test('invalid heartbeats are refused', () => {
  const cases: [memberId: string, epoch: number, request: HeartbeatOptions, error: string][] = [
    ['', 0, {}, 'INVALID_REQUEST'],
    ['', 1, { requiresMemberId: false }, 'INVALID_REQUEST'],
    ['', -1, { requiresMemberId: false }, 'INVALID_REQUEST'],
    ['m', 0, { instanceId: '' }, 'INVALID_REQUEST'],
    ['m', 0, { rackId: '' }, 'INVALID_REQUEST'],
    ['m', 0, { rebalanceTimeoutMs: -1 }, 'INVALID_REQUEST'],
    ['m', 0, { rebalanceTimeoutMs: -2 }, 'INVALID_REQUEST'],
    ['m', 0, { ownedPartitions: null }, 'INVALID_REQUEST'],
    ['m', 0, { ownedPartitions: [{ topicId: 't#1', partitions: [0] }] }, 'INVALID_REQUEST'],
    ['m', 0, { subscribedTopicNames: null }, 'INVALID_REQUEST'],
    ['m', 0, { subscribedTopicNames: Array.from({ length: 101 }, String) }, 'INVALID_REQUEST'],
    ['m'.repeat(65), 0, {}, 'INVALID_REQUEST'],
    ['m', -2, {}, 'INVALID_REQUEST'],
    ['m', -3, {}, 'INVALID_REQUEST'],
    ['m', 0, { serverAssignor: 'sticky' }, 'UNSUPPORTED_ASSIGNOR'],
    ['m', 0, { subscribedTopicNames: null, subscribedTopicRegex: '(' }, 'INVALID_REGULAR_EXPRESSION'],
    ['m', 1, {}, 'UNKNOWN_MEMBER_ID'],
    ['m', -1, {}, 'UNKNOWN_MEMBER_ID'],
    ['m', -2, { instanceId: 'i' }, 'UNKNOWN_MEMBER_ID'],
    ['m', 1, { instanceId: 'i' }, 'UNKNOWN_MEMBER_ID'],
    ['m', 0, { subscribedTopicNames: ['x'.repeat(10_001)] }, 'GROUP_MAX_SIZE_REACHED'],
  ];
  for (const [memberId, epoch, request, error] of cases) {
    const story = new ConsumerStory();
    const answer = epoch === 0 ? story.join(memberId, request) : story.beat(memberId, epoch, request);
    assert.equal(answer, error, `${memberId} ${epoch} ${JSON.stringify(request)}`);
    assert.equal(story.group.members.size, 0);
    assert.equal(story.written, '');
  }
});

test('a client of v0 gets a member id', () => {
  const story = new ConsumerStory();
  assert.equal(story.join('', { requiresMemberId: false }), '1 t:0,1,2,3');
  assert.deepEqual([...story.group.members.keys()], ['fresh']);
});

test('wrong epochs are fenced, except the previous one with a part of the owned partitions', () => {
  const story = new ConsumerStory({ t: 4 });
  story.join('a');
  story.join('b');
  story.beat('a', 1);
  assert.equal(story.beat('a', 1, { ownedPartitions: story.owned('t:0,1') }), '2 =');
  const cases: [epoch: number, owned: string | null, answer: string][] = [
    [3, null, 'FENCED_MEMBER_EPOCH'],
    [1, null, 'FENCED_MEMBER_EPOCH'],
    [1, 't:0,1,2', 'FENCED_MEMBER_EPOCH'],
    [1, 't:0,1', '2 t:0,1'],
    [1, 't:0', '2 t:0,1'],
    [1, '', '2 t:0,1'],
    [2, null, '2 ='],
  ];
  for (const [epoch, owned, answer] of cases) {
    const ownedPartitions = owned === null ? null : story.owned(owned);
    assert.equal(story.beat('a', epoch, { ownedPartitions }), answer, `${epoch} ${owned}`);
  }
  // It has given up everything and rejoins with its id.
  assert.equal(story.join('a'), '2 t:0,1');
});

test('a full heartbeat returns the whole assignment', () => {
  const story = new ConsumerStory({ t: 2 });
  story.join('a');
  const full = {
    rebalanceTimeoutMs: 60_000,
    subscribedTopicNames: ['t'],
    ownedPartitions: story.owned('t:0,1'),
  };
  assert.equal(story.beat('a', 1, full), '1 t:0,1');
  assert.equal(story.written, '');
});

test('the partitions of a leaving member go to the others', () => {
  const story = new ConsumerStory({ t: 2 });
  story.join('a');
  story.join('b');
  assert.equal(story.beat('a', -1), '-1 =');
  assert.equal(stateOf(story.group), 'Assigning');
  assert.equal(story.beat('b', 2), '3 t:0,1');
  assert.equal(story.beat('b', -1), '-1 =');
  assert.equal(stateOf(story.group), 'Empty');
  assert.equal(story.run({ kind: 'delete' }), 'NONE');
  assert.equal(stateOf(story.group), 'Dead');
});

test('a member is removed when its session expires, or when it does not revoke in time', () => {
  const story = new ConsumerStory({ t: 2 });
  story.join('a', { rebalanceTimeoutMs: 20_000 });
  story.join('b');
  assert.equal(story.beat('a', 1), '1 t:0');
  assert.equal(nextDeadlineMs(story.group, story.rules), 1_000 + 20_000);
  story.pass(19_999);
  assert.equal(story.beat('a', 1), '1 =');
  assert.equal(story.beat('b', 2), '2 =');
  story.pass(1);
  assert.equal(story.holdings(), 'b@2');
  assert.equal(story.beat('a', 1), 'UNKNOWN_MEMBER_ID');
  assert.equal(story.beat('b', 2), '3 t:0,1');
  story.pass(45_000);
  assert.equal(story.group.members.size, 0);
});

test('topics are created, grown and deleted', () => {
  const story = new ConsumerStory({ t: 2 });
  story.join('a', { topics: 't later' });
  story.setTopic('other', 3);
  assert.equal(story.written, '');
  story.setTopic('later', 1);
  assert.equal(story.written, 'group');
  assert.equal(stateOf(story.group), 'Assigning');
  assert.equal(story.beat('a', 1), '2 t:0,1 later:0');
  story.setTopic('t', 3);
  assert.equal(story.beat('a', 2), '3 t:0,1,2 later:0');
  const owned = story.owned('t:0,1,2');
  story.setTopic('later', 0);
  assert.equal(story.beat('a', 3), '3 t:0,1,2');
  assert.equal(story.beat('a', 3, { ownedPartitions: owned }), '4 =');
});

test('a topic that is created again under the same name is another topic', () => {
  const story = new ConsumerStory({ t: 1 });
  story.join('a');
  story.topics.delete('t');
  story.setTopic('t', 1);
  assert.equal(story.beat('a', 1, { ownedPartitions: [] }), '2 t:0');
  assert.deepEqual([...story.group.member('a')!.holding.assigned.keys()], ['t#2']);
});

test('patterns follow the topics', () => {
  const story = new ConsumerStory({ 'logs-a': 1, metrics: 1 });
  const regex = { subscribedTopicNames: null, subscribedTopicRegex: 'logs-.*' };
  assert.equal(story.join('a', regex), '1 logs-a:0');
  story.setTopic('logs-b', 1);
  assert.equal(story.beat('a', 1), '2 logs-a:0 logs-b:0');
  story.setTopic('catalogs-c', 1);
  assert.equal(story.beat('a', 2), '2 =');
  assert.equal(story.group.isSubscribedTo('logs-a'), true);
  assert.equal(story.group.isSubscribedTo('metrics'), false);
  const owned = { ownedPartitions: [] };
  assert.equal(
    story.beat('a', 2, { subscribedTopicNames: ['metrics'], subscribedTopicRegex: '', ...owned }),
    '3 metrics:0',
  );
  assert.equal(story.group.patterns.size, 0);
});

test('until the matches of a new pattern are known, the old ones apply', () => {
  const story = new ConsumerStory({ 'logs-a': 1, 'logs-b': 1, metrics: 1 });
  const matched = (expression: string, names: readonly string[]) =>
    story.run({ kind: 'matched', expression, names: new Set(names) });
  const pattern = (subscribedTopicRegex: string) => ({ subscribedTopicNames: null, subscribedTopicRegex });
  story.join('a', pattern('logs-.*'));
  story.topics.takesTime = true;

  assert.equal(
    story.beat('a', 1, pattern('metrics?')),
    '1 =',
    'the assignment is unchanged until the scan ends',
  );
  assert.equal(story.written, 'a', 'the new subscription is stored');
  assert.equal(
    story.join('b', { ...pattern('logs-a') }),
    '2',
    'a pattern that replaces no other has no matches yet',
  );
  assert.equal(story.beat('a', 1, { ownedPartitions: story.owned('logs-a:0 logs-b:0') }), '2 =');
  assert.equal(story.group.isSubscribedTo('logs-b'), true);

  matched('metrics?', ['metrics']);
  assert.equal(story.group.epoch, 3);
  assert.equal(story.group.isSubscribedTo('logs-b'), false);
  matched('logs-a', ['logs-a']);
  matched('logs-a', []);
  matched('gone', ['logs-b']);
  assert.equal(story.group.epoch, 4, 'one epoch per pattern of a member');
  assert.equal(story.beat('a', 2, { ownedPartitions: story.owned('logs-a:0 logs-b:0') }), '2');
  assert.equal(story.beat('a', 2, { ownedPartitions: [] }), '4 metrics:0');
  assert.equal(story.beat('b', 2), '4 logs-a:0');
  story.setTopic('metric', 1);
  assert.equal(story.beat('a', 4), '5 metrics:0 metric:0', 'a matched pattern follows the topics');
});

test('topics that are created while patterns have no time left are assigned when they are matched', () => {
  const story = new ConsumerStory({ 'logs-a': 1, other: 1 });
  const pattern = (subscribedTopicRegex: string) => ({ subscribedTopicNames: null, subscribedTopicRegex });
  story.join('a', pattern('logs-.*'));
  story.join('b', pattern('other.*'));
  story.beat('a', 1);
  story.beat('b', 2);
  const { epoch } = story.group;
  story.topics.takesTime = true;
  story.topics.takesTimeByOne = true;
  story.topics.requestedPatterns.length = 0;
  story.setTopic('logs-b', 1);
  story.setTopic('logs-c', 1);
  assert.deepEqual(
    story.topics.requestedPatterns,
    ['logs-.*'],
    'one scan, which continues when a topic is created',
  );
  assert.equal(story.group.epoch, epoch);
  assert.equal(story.group.isSubscribedTo('logs-a'), true, 'earlier matches apply');

  story.run({ kind: 'matched', expression: 'logs-.*', names: new Set(['logs-a', 'logs-b', 'logs-c']) });
  assert.equal(story.group.epoch, epoch + 1);
  assert.deepEqual(story.topics.requestedPatterns, ['logs-.*', 'other.*']);
  story.run({ kind: 'matched', expression: 'other.*', names: new Set(['other']) });
  assert.equal(story.group.epoch, epoch + 1, 'the other pattern retains its matches');
  assert.equal(story.group.isSubscribedTo('logs-c'), true);
});

test('members get only those matches of a pattern that they may see', () => {
  const story = new ConsumerStory({ 'logs-a': 1, 'logs-b': 1, 'logs-c': 1 });
  const { visibleTopics } = story.topics;
  const seenBy = (name: string, host = '10.0.0.1') => ({
    subscribedTopicNames: null,
    subscribedTopicRegex: 'logs-.*',
    reader: { principals: [name], host },
  });
  const nothing = { ownedPartitions: [] };
  visibleTopics.set('User:a', ['logs-a', 'logs-b', 'logs-d']);
  assert.equal(story.join('a', seenBy('User:a')), '1 logs-a:0 logs-b:0');
  story.setTopic('logs-d', 1);
  story.setTopic('logs-e', 1);
  assert.equal(story.beat('a', 1), '2 logs-a:0 logs-b:0 logs-d:0', 'also for topics created later');
  assert.equal(story.group.isSubscribedTo('logs-c'), false);

  visibleTopics.set('User:b', ['logs-c']);
  assert.equal(story.join('b', seenBy('User:b')), '3 logs-c:0');
  assert.equal(story.beat('a', 2), '3 =');

  // An ACL change without effect on a group leaves it unchanged.
  story.run({ kind: 'rules' });
  visibleTopics.set('User:b', ['logs-c', 'other']);
  story.run({ kind: 'rules' });
  assert.equal(story.group.epoch, 3);
  visibleTopics.set('User:b', ['logs-b']);
  story.run({ kind: 'rules' });
  assert.equal(story.group.epoch, 4);
  assert.equal(story.beat('b', 3, { ownedPartitions: story.owned('logs-c:0') }), '3');
  assert.equal(
    story.beat('a', 3, { ownedPartitions: story.owned('logs-a:0 logs-b:0 logs-d:0') }),
    '3 logs-a:0 logs-d:0',
  );
  assert.equal(story.beat('a', 3, { ownedPartitions: story.owned('logs-a:0 logs-d:0') }), '4 =');
  assert.equal(story.beat('b', 3, nothing), '4 logs-b:0');

  visibleTopics.delete('User:b');
  story.run({ kind: 'rules' });
  assert.equal(story.group.isSubscribedTo('logs-e'), true, 'a member that sees all topics gets all matches');
});

test('until the visibility under new ACLs is known, the old matches apply', () => {
  const story = new ConsumerStory({ 'logs-a': 1, 'logs-b': 1 });
  const { topics, group } = story;
  const pattern = { subscribedTopicNames: null, subscribedTopicRegex: 'logs-.*' };
  const reader = { principals: ['User:a'], host: '10.0.0.1' };
  story.join('a', { ...pattern, reader });
  topics.takesTime = true;
  topics.visibleTopics.set('User:a', ['logs-b']);
  story.run({ kind: 'rules' });
  assert.equal(group.isSubscribedTo('logs-a'), true);
  story.run({ kind: 'matched', expression: 'logs-.*', names: new Set(['logs-a']) });
  assert.equal(group.isSubscribedTo('logs-b'), true, 'a result for the old visibility is ignored');
  const [key] = topics.requestedPatterns.splice(-1);
  story.run({ kind: 'matched', expression: key!, names: new Set(['logs-b']) });
  assert.equal(group.isSubscribedTo('logs-a'), false);
  assert.equal(group.epoch, 2);
});

test('members with equal visibility share a scan of the topics', () => {
  const story = new ConsumerStory({ 'logs-a': 1, 'logs-b': 1 });
  for (const host of ['10.0.0.1', '10.0.0.2', '10.0.0.3']) {
    const reader = { principals: ['User:a'], host };
    story.join(host, { subscribedTopicNames: null, subscribedTopicRegex: 'logs-.*', reader });
    story.topics.isBusy = true;
  }
  assert.equal(story.group.patterns.size, 3);
  assert.equal(story.topics.requestedPatterns.length, 1);
  story.setTopic('logs-c', 1);
  assert.equal(story.group.isSubscribedTo('logs-c'), true);
});

test('an expression of a client cannot be confused with one that contains a reader', () => {
  const story = new ConsumerStory({ logs: 1 });
  const regex = { subscribedTopicNames: null, subscribedTopicRegex: '\u0000["*","User:a"]\u0000.*' };
  assert.equal(story.join('a', regex), 'INVALID_REGULAR_EXPRESSION');
});

test('patterns that arrive too fast are deferred', () => {
  const story = new ConsumerStory({ logs: 1 });
  story.topics.isBusy = true;
  const regex = { subscribedTopicNames: null, subscribedTopicRegex: 'l.*' };
  assert.equal(story.join('a', regex), 'COORDINATOR_LOAD_IN_PROGRESS');
  assert.equal(story.group.members.size, 0);
  story.topics.isBusy = false;
  assert.equal(story.join('a', regex), '1 logs:0');
  story.topics.isBusy = true;
  assert.equal(story.join('b', regex), '2', 'a pattern that another member has needs no compilation');
});

test('a new leader leaves all assignments unchanged until it knows the matches of patterns', () => {
  const story = new ConsumerStory({ 'logs-a': 1, 'logs-b': 1, other: 1 });
  story.join('a', { subscribedTopicNames: null, subscribedTopicRegex: 'logs-.*' });
  for (const names of [['logs-a', 'logs-b'], ['logs-a']]) {
    const next = new ConsumerStory();
    for (const name of story.topics.names()) next.topics.set(name, 1);
    const { group } = next;
    Object.assign(group, { epoch: 1, assignmentEpoch: 1, topics: story.group.topics });
    group.targets = new Map(story.group.targets);
    group.add({ ...story.group.member('a')! }, compilePattern('logs-.*'), true);
    next.topics.takesTime = true;
    next.run({ kind: 'topics', names: undefined });
    next.join('b', { topics: 'other' });
    assert.deepEqual([group.epoch, group.assignmentEpoch], [2, 1], 'nothing is assigned');
    assert.equal(nextDeadlineMs(group, next.rules) > next.nowMs, true, 'and no deadline is set for it');
    assert.equal(next.beat('a', 1), '1 =');
    next.run({ kind: 'matched', expression: 'logs-.*', names: new Set(names) });
    assert.equal(group.assignmentEpoch, group.epoch);
    assert.equal(asText(group.targetOf('a')), names.map((name) => `${name}:0`).join(' '));
    assert.equal(asText(group.targetOf('b')), 'other:0');
  }
});

test('the assignor that most members request is used', () => {
  const story = new ConsumerStory({ t: 4, u: 4 });
  story.join('a', { topics: 't u' });
  assert.equal(story.group.assignor, 'uniform');
  story.join('b', { topics: 't u', serverAssignor: 'range' });
  assert.equal(story.group.assignor, 'range');
  assert.equal(story.beat('a', 1), '1 t:0,1 u:0,1');
  assert.equal(story.beat('b', 2, { serverAssignor: 'uniform' }), '3 =');
  assert.equal(story.group.assignor, 'uniform');
});

test('static members', () => {
  const story = new ConsumerStory({ t: 2 });
  const one = { instanceId: 'one' };
  assert.equal(story.join('a', one), '1 t:0,1');
  assert.equal(story.join('b', one), 'UNRELEASED_INSTANCE_ID');
  assert.equal(story.beat('b', 1, one), 'FENCED_INSTANCE_ID');
  assert.equal(story.beat('b', -2, one), 'FENCED_INSTANCE_ID');
  assert.equal(story.beat('a', -2, one), '-2 =');
  assert.equal(story.beat('a', 1, one), 'FENCED_MEMBER_EPOCH');
  // The replacement gets its partitions, and other members are not affected.
  assert.equal(story.join('b', one), '1 t:0,1');
  assert.equal(story.written, 'group b -a');
  assert.equal(story.group.epoch, 1);
  assert.equal(story.beat('a', 1, one), 'FENCED_INSTANCE_ID');
  assert.equal(story.beat('b', -2, one), '-2 =');
  // It may also return with its old id.
  assert.equal(story.join('b', one), '1 t:0,1');
  assert.equal(story.beat('b', -2, one), '-2 =');
  story.pass(45_000);
  assert.equal(story.group.members.size, 0);
});

test('a static member that returns with another subscription raises the epoch', () => {
  const story = new ConsumerStory({ t: 1, u: 1 });
  story.join('a', { instanceId: 'one' });
  story.beat('a', -2, { instanceId: 'one' });
  assert.equal(story.join('b', { instanceId: 'one', topics: 'u' }), '2 u:0');
});

test('a full group refuses new members and serves existing ones', () => {
  const story = new ConsumerStory({ t: 1 }, { groupSizeMax: 1 });
  story.join('a');
  assert.equal(story.join('b'), 'GROUP_MAX_SIZE_REACHED');
  assert.equal(story.join('a'), '1 t:0');
});

test('in a large group many changes share one target computation', () => {
  const story = new ConsumerStory({ t: 6_000 });
  story.join('a');
  story.join('b');
  assert.equal(stateOf(story.group), 'Assigning');
  assert.equal(story.group.assignmentEpoch, 1);
  assert.equal(story.beat('b', 1), '1 =');
  assert.equal(nextDeadlineMs(story.group, story.rules), story.nowMs + 300);
  story.pass(300);
  assert.equal(story.group.assignmentEpoch, 2);
});

test('two target computations are an interval apart, and the first one does not wait', () => {
  const story = new ConsumerStory({ t: 4 }, { assignmentIntervalMs: 1_000 });
  assert.equal(story.join('a'), '1 t:0,1,2,3');
  assert.equal(story.join('b'), '1', 'a member that joins meanwhile follows the present targets');
  assert.equal(stateOf(story.group), 'Assigning');
  assert.equal(nextDeadlineMs(story.group, story.rules), story.nowMs + 1_000);
  story.pass(999);
  assert.equal(story.beat('a', 1), '1 =');
  assert.equal(story.join('c'), '1');
  assert.deepEqual([story.group.epoch, story.group.assignmentEpoch], [3, 1]);
  story.pass(1);
  assert.equal(story.group.assignmentEpoch, 3, 'both changes share one computation');
  assert.equal(story.join('d'), '3');
  story.pass(1_000);
  assert.equal(story.group.assignmentEpoch, 4);
  story.pass(1_000);
  story.join('e');
  assert.equal(story.group.assignmentEpoch, 5, 'a change after the interval does not wait');
});

test('a changed assignment interval applies to changes that wait', () => {
  const story = new ConsumerStory({ t: 4 }, { assignmentIntervalMs: 15_000 });
  story.join('a');
  story.join('b');
  story.pass(500);
  assert.equal(story.group.assignmentEpoch, 1);
  story.rules = { ...story.rules, assignmentIntervalMs: 0 };
  assert.equal(story.beat('a', 1), '1 t:0,1');
  assert.equal(story.group.assignmentEpoch, 2);
});

test('a member gives up what it no longer subscribes to before the next computation', () => {
  const story = new ConsumerStory({ t: 2, u: 2 }, { assignmentIntervalMs: 1_000 });
  assert.equal(story.join('a', { topics: 't u' }), '1 t:0,1 u:0,1');
  assert.equal(story.beat('a', 1, { subscribedTopicNames: ['u'] }), '1 u:0,1');
  assert.equal(story.beat('a', 1, { ownedPartitions: story.owned('u:0,1') }), '1 =');
  assert.deepEqual([story.group.epoch, story.group.assignmentEpoch], [2, 1]);
  assert.equal(story.beat('a', 1), '1 =');
  story.pass(1_000);
  assert.equal(story.beat('a', 1), '2 =');
  assert.equal(stateOf(story.group), 'Stable');
});

test('a static member that returns with another subscription gets nothing else meanwhile', () => {
  const story = new ConsumerStory({ t: 1, u: 1 }, { assignmentIntervalMs: 1_000 });
  assert.equal(story.join('a', { instanceId: 'one' }), '1 t:0');
  story.beat('a', -2, { instanceId: 'one' });
  assert.equal(story.join('b', { instanceId: 'one', topics: 'u' }), '1');
  story.pass(1_000);
  assert.equal(story.beat('b', 1, { instanceId: 'one' }), '2 u:0');
});

test('checks of offset commits and fetches', () => {
  const story = new ConsumerStory({ t: 1 });
  const commit = (memberId: string, epoch: number, isTransactional = false) =>
    checkCommit(
      story.group,
      { groupId: 'g', memberId, generationIdOrMemberEpoch: epoch, groupInstanceId: null },
      isTransactional,
    );
  assert.equal(commit('', -1), 'NONE');
  story.join('a');
  story.join('b');
  const cases: [memberId: string, epoch: number, isTransactional: boolean, error: string][] = [
    ['a', 1, false, 'NONE'],
    ['a', 2, false, 'STALE_MEMBER_EPOCH'],
    ['a', 0, false, 'STALE_MEMBER_EPOCH'],
    ['b', 2, true, 'NONE'],
    ['b', 1, true, 'STALE_MEMBER_EPOCH'],
    ['x', 1, false, 'UNKNOWN_MEMBER_ID'],
    ['', -1, false, 'UNKNOWN_MEMBER_ID'],
    ['', -1, true, 'NONE'],
  ];
  for (const [memberId, epoch, isTransactional, error] of cases) {
    assert.equal(commit(memberId, epoch, isTransactional), error, `${memberId} ${epoch} ${isTransactional}`);
  }
  assert.equal(checkFetch(story.group, null, -1), 'NONE');
  assert.equal(checkFetch(story.group, 'a', 1), 'NONE');
  assert.equal(checkFetch(story.group, 'a', 2), 'STALE_MEMBER_EPOCH');
  assert.equal(checkFetch(story.group, 'x', 1), 'UNKNOWN_MEMBER_ID');
});
