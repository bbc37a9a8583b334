import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAssignment } from '@weir/cluster';
import { subscriptionBytes } from '../../testing/classic-consumer.ts';
import { ConsumerStory } from '../../testing/consumer-story.ts';

/** The SyncGroup assignment of a classic member, as `t:0,1`. */
function synced(story: ConsumerStory, memberId: string, generationId: number): string {
  const { error, assignment } = story.classicSync(memberId, generationId);
  if (error !== 'NONE') return error;
  return readAssignment(assignment)!
    .map(({ topic, partitions }) => `${topic}:${partitions.join()}`)
    .join(' ');
}

const wants = subscriptionBytes(['t']);
const owning = (generationId: number, ...partitions: number[]) =>
  subscriptionBytes(['t'], { generationId, owned: [{ topic: 't', partitions }] });

test('a cooperative member gives up partitions of others and rejoins', () => {
  const story = new ConsumerStory({ t: 4 });
  assert.equal(story.classicJoin('old', wants).generationId, 1);
  assert.equal(synced(story, 'old', 1), 't:0,1,2,3');
  assert.equal(story.classicBeat('old', 1), 'NONE');
  assert.equal(story.join('new'), '2');
  assert.equal(story.classicBeat('old', 1), 'REBALANCE_IN_PROGRESS');
  // It still owns all and gets the part that it retains; its generation stays, so that it can commit.
  assert.equal(story.classicJoin('old', owning(1, 0, 1, 2, 3)).generationId, 1);
  assert.equal(synced(story, 'old', 1), 't:0,1');
  assert.equal(story.beat('new', 2), '2 =');
  assert.equal(story.classicBeat('old', 1), 'REBALANCE_IN_PROGRESS');
  assert.equal(story.classicJoin('old', owning(1, 0, 1)).generationId, 2);
  assert.equal(synced(story, 'old', 2), 't:0,1');
  assert.equal(story.classicBeat('old', 2), 'NONE');
  assert.equal(story.beat('new', 2), '2 t:2,3');
});

test('an eager member has given up everything when it rejoins', () => {
  const story = new ConsumerStory({ t: 4 });
  story.classicJoin('old', subscriptionBytes(['t'], { version: 0 }));
  story.classicSync('old', 1);
  story.join('new');
  assert.equal(story.classicBeat('old', 1), 'REBALANCE_IN_PROGRESS');
  assert.equal(story.classicJoin('old', subscriptionBytes(['t'], { version: 0 })).generationId, 2);
  assert.equal(synced(story, 'old', 2), 't:0,1');
  assert.equal(story.beat('new', 2), '2 t:2,3');
});

test('a classic member that waits for partitions rejoins when all of them are free', () => {
  const story = new ConsumerStory({ t: 4 });
  story.join('new');
  assert.equal(story.classicJoin('old', wants).generationId, 2);
  assert.equal(synced(story, 'old', 2), '');
  assert.equal(story.classicBeat('old', 2), 'NONE');
  assert.equal(story.beat('new', 1), '1 t:0,1');
  assert.equal(story.classicBeat('old', 2), 'NONE');
  assert.equal(story.beat('new', 1, { ownedPartitions: story.owned('t:0,1') }), '2 =');
  assert.equal(story.classicBeat('old', 2), 'REBALANCE_IN_PROGRESS');
  assert.equal(story.classicJoin('old', owning(2)).generationId, 2);
  assert.equal(synced(story, 'old', 2), 't:2,3');
});

test('invalid classic requests are refused', () => {
  const story = new ConsumerStory({ t: 1 }, { groupSizeMax: 2, textCharsMax: 300 });
  story.join('new');
  const cases: [
    memberId: string,
    request: Parameters<ConsumerStory['classicJoin']>[2],
    metadata: Uint8Array,
    error: string,
  ][] = [
    ['', { sessionTimeoutMs: 5_999 }, wants, 'INVALID_SESSION_TIMEOUT'],
    ['', { rebalanceTimeoutMs: -1 }, wants, 'INVALID_REQUEST'],
    ['', { protocolType: 'connect' }, wants, 'INCONSISTENT_GROUP_PROTOCOL'],
    ['', { protocols: [] }, wants, 'INCONSISTENT_GROUP_PROTOCOL'],
    ['', {}, Buffer.from('what is this'), 'INCONSISTENT_GROUP_PROTOCOL'],
    ['', { requiresKnownMemberId: true }, wants, 'MEMBER_ID_REQUIRED'],
    ['x', { groupInstanceId: 'i' }, wants, 'UNKNOWN_MEMBER_ID'],
    ['', {}, subscriptionBytes(['t'.repeat(400)]), 'GROUP_MAX_SIZE_REACHED'],
    ['', {}, wants, 'NONE'],
    ['third', {}, wants, 'GROUP_MAX_SIZE_REACHED'],
    ['fresh', { protocols: [{ name: 'other', metadata: wants }] }, wants, 'NONE'],
  ];
  for (const [memberId, request, metadata, error] of cases) {
    assert.equal(
      story.classicJoin(memberId, metadata, request).error,
      error,
      `${memberId} ${JSON.stringify(request)}`,
    );
  }
  const { epoch } = story.group.member('fresh')!.holding;
  assert.equal(story.classicBeat('fresh', epoch + 1), 'ILLEGAL_GENERATION');
  assert.equal(story.classicBeat('new', 1), 'UNKNOWN_MEMBER_ID');
  assert.equal(story.classicBeat('nobody', 1), 'UNKNOWN_MEMBER_ID');
  assert.equal(story.classicSync('fresh', epoch + 1).error, 'ILLEGAL_GENERATION');
  assert.equal(story.classicSync('fresh', epoch).error, 'INCONSISTENT_GROUP_PROTOCOL');
  assert.equal(story.beat('fresh', epoch), 'UNKNOWN_MEMBER_ID');
  const leaving = ['new', 'nobody', 'fresh'].map((memberId) => ({ memberId, groupInstanceId: null }));
  assert.deepEqual(story.run({ kind: 'classicLeave', members: leaving }), [
    'UNKNOWN_MEMBER_ID',
    'UNKNOWN_MEMBER_ID',
    'NONE',
  ]);
});

test('two classic members without a common protocol are refused', () => {
  const story = new ConsumerStory({ t: 1 });
  story.join('new');
  story.classicJoin('one', wants, { protocols: [{ name: 'range', metadata: wants }] });
  const other = story.classicJoin('two', wants, { protocols: [{ name: 'sticky', metadata: wants }] });
  assert.equal(other.error, 'INCONSISTENT_GROUP_PROTOCOL');
});

test('a classic member that does not sync, or times out, is removed', () => {
  const story = new ConsumerStory({ t: 1 });
  story.join('new');
  story.classicJoin('slow', wants, { rebalanceTimeoutMs: 9_000 });
  story.classicJoin('quick', wants, { rebalanceTimeoutMs: 9_000 });
  assert.equal(synced(story, 'quick', 3), '');
  story.pass(8_999);
  assert.equal(story.group.members.size, 3);
  story.pass(1);
  assert.deepEqual([...story.group.members.keys()], ['new', 'quick']);
  story.pass(1_000);
  assert.deepEqual([...story.group.members.keys()], ['new']);
  story.classicJoin('silent', wants);
  story.classicSync('silent', story.group.member('silent')!.holding.epoch);
  story.pass(10_000);
  assert.equal(story.group.members.size, 1);
});

test('a static member changes its protocol and retains its partitions', () => {
  const story = new ConsumerStory({ t: 2 });
  story.join('a', { instanceId: 'other' });
  story.classicJoin('', wants, { groupInstanceId: 'one' });
  const { epoch } = story.group;
  assert.equal(story.group.staticMember('one')!.memberId, 'fresh');
  story.beat('a', 1, { instanceId: 'other' });
  story.beat('a', 1, { instanceId: 'other', ownedPartitions: story.owned('t:0') });
  story.classicJoin('fresh', wants, { groupInstanceId: 'one' });
  assert.equal(story.join('b', { instanceId: 'one' }), `${epoch} t:1`);
  assert.equal(story.group.classicCount, 0);
  assert.equal(story.group.epoch, epoch);
});
