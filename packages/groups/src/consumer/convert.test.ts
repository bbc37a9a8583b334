import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeAssignment } from '@weir/cluster';
import { classicClient, subscriptionBytes } from '../../testing/classic-consumer.ts';
import { asText, StoryTopics } from '../../testing/consumer-story.ts';
import { ClassicGroup, type Member } from '../classic/classic-group.ts';
import { classicGroupOf, consumerGroupOf } from './convert.ts';

const topics = new StoryTopics();
topics.set('t', 4);

function classicGroup(
  members: Readonly<Record<string, Partial<Member>>>,
  protocolType = 'consumer',
): ClassicGroup {
  const group = new ClassicGroup('g');
  group.protocolType = protocolType;
  group.generationId = 7;
  for (const [memberId, overrides] of Object.entries(members)) {
    group.add({
      memberId,
      ...classicClient,
      protocols: [{ name: 'range', metadata: subscriptionBytes(['t']) }],
      assignment: new Uint8Array(0),
      join: undefined,
      sync: undefined,
      isNew: false,
      agentId: undefined,
      deadlineMs: 99,
      ...overrides,
    });
  }
  group.protocolName = group.selectProtocol();
  group.state = 'Stable';
  return group;
}

const given = (...partitions: number[]) => writeAssignment(1, [{ topic: 't', partitions }]);

test("members keep what they were given, a partition that two were given is the first one's", () => {
  const group = consumerGroupOf(
    classicGroup({ a: { assignment: given(0, 1) }, b: { assignment: given(1, 2) } }),
    topics,
  )!;
  assert.deepEqual([group.epoch, group.assignmentEpoch], [7, 7]);
  assert.deepEqual(
    Array.from(
      group.members.values(),
      ({ memberId, holding }) => `${memberId}@${holding.epoch} ${asText(holding.assigned)}`,
    ),
    ['a@7 t:0,1', 'b@7 t:2'],
  );
});

test('deleted topics are left out', () => {
  const assignment = writeAssignment(0, [
    { topic: 'gone', partitions: [0] },
    { topic: 't', partitions: [3] },
  ]);
  const group = consumerGroupOf(classicGroup({ a: { assignment } }), topics)!;
  assert.equal(asText(group.member('a')!.holding.assigned), 't:3');
});

test('groups with unreadable member metadata are not converted', () => {
  const cases: [what: string, group: ClassicGroup][] = [
    ['workers', classicGroup({ a: {} }, 'connect')],
    ['a subscription', classicGroup({ a: { protocols: [{ name: 'range', metadata: Buffer.from('?') }] } })],
    ['an assignment', classicGroup({ a: { assignment: Buffer.from([0]) } })],
    [
      'the second of two',
      classicGroup({ a: {}, b: { protocols: [{ name: 'range', metadata: Buffer.of() }] } }),
    ],
  ];
  for (const [what, group] of cases) assert.equal(consumerGroupOf(group, topics), undefined, what);
});

test('converting a group back and forth restores it', () => {
  const before = classicGroup({
    a: { assignment: given(0, 1), groupInstanceId: 'one' },
    b: { assignment: given(2, 3) },
  });
  const after = classicGroupOf(consumerGroupOf(before, topics)!, topics, 89 - 10_000 + 10);
  for (const [memberId, member] of before.members) {
    const { assignment, ...rest } = after.member(memberId)!;
    const { assignment: assignmentBefore, ...restBefore } = member;
    assert.deepEqual(rest, restBefore);
    // The version comes from the metadata of the member.
    assert.deepEqual(Buffer.from(assignment).subarray(2), Buffer.from(assignmentBefore).subarray(2));
  }
  assert.deepEqual(
    [after.generationId, after.protocolType, after.protocolName, after.leaderId],
    [7, 'consumer', 'range', 'a'],
  );
});
