import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ShareHeartbeat } from '@weir/cluster';
import { ByteReader, ByteWriter } from '@weir/machine';
import fc from 'fast-check';
import { countOf } from '../assignors/partitions.ts';
import type { TopicsView } from '../modern/modern-group.ts';
import type { ModernRules } from '../modern/modern-step.ts';
import { nextDeadlineMs, stateOf, step } from './machine.ts';
import { readShareGroup, writeShareGroup } from './record.ts';
import { ShareGroup } from './share-group.ts';

const rules: ModernRules = {
  assignmentIntervalMs: 0,
  heartbeatIntervalMs: 5_000,
  sessionTimeoutMs: 45_000,
  groupSizeMax: 4,
  subscribedNamesMax: 3,
  textCharsMax: 100,
  nameCharsMax: 20,
};

/** Topics by name, with their partition counts; the id of a topic is its name. */
function topicsOf(counts: ReadonlyMap<string, number>): TopicsView {
  return {
    byName: (name) => {
      const partitionCount = counts.get(name);
      return partitionCount === undefined ? undefined : { topicId: name, partitionCount };
    },
    nameOf: (topicId) => (counts.has(topicId) ? topicId : undefined),
    names: () => counts.keys(),
  };
}

const topics = topicsOf(new Map([['t', 3]]));

const beat = (
  memberId: string,
  memberEpoch: number,
  overrides: Partial<ShareHeartbeat> = {},
): ShareHeartbeat => ({
  groupId: 'g',
  memberId,
  memberEpoch,
  rackId: null,
  clientId: 'client',
  clientHost: '/127.0.0.1',
  subscribedTopicNames: memberEpoch === 0 ? ['t'] : null,
  ...overrides,
});

const sendHeartbeat = (group: ShareGroup, heartbeat: ShareHeartbeat, nowMs = 0) =>
  step(group, { kind: 'heartbeat', heartbeat }, nowMs, rules, topics);

test('a member joins, stays, sees the effect of others and leaves', () => {
  const group = new ShareGroup('g');
  const joined = sendHeartbeat(group, beat('a', 0));
  assert.deepEqual(joined.answer, {
    error: 'NONE',
    message: null,
    memberId: 'a',
    memberEpoch: 1,
    heartbeatIntervalMs: 5_000,
    assignment: [{ topicId: 't', partitions: [0, 1, 2] }],
  });
  assert.equal(sendHeartbeat(group, beat('a', 1)).answer.assignment, null, 'the assignment was already sent');
  assert.equal(
    sendHeartbeat(group, beat('a', 1)).effects.isChanged,
    false,
    'the heartbeat changes no durable state',
  );
  sendHeartbeat(group, beat('b', 0));
  const answer = sendHeartbeat(group, beat('a', 1)).answer;
  assert.equal(answer.memberEpoch, 2);
  assert.equal(answer.assignment!.flatMap(({ partitions }) => partitions).length, 2);
  assert.deepEqual(
    sendHeartbeat(group, beat('b', -1)).effects.gone,
    [],
    'acknowledgements of the member may still arrive',
  );
  assert.deepEqual(sendHeartbeat(group, beat('a', 2)).answer.assignment, [
    { topicId: 't', partitions: [0, 1, 2] },
  ]);
  assert.equal(stateOf(group), 'Stable');
  sendHeartbeat(group, beat('a', -1));
  assert.equal(stateOf(group), 'Empty');
});

const refusals: [what: string, heartbeat: ShareHeartbeat, error: string][] = [
  ['a blank group id', beat('b', 0, { groupId: ' ' }), 'INVALID_REQUEST'],
  ['an empty member id', beat('', 0), 'INVALID_REQUEST'],
  ['an id that is too long', beat('b'.repeat(21), 0), 'INVALID_REQUEST'],
  ['an empty rack', beat('b', 0, { rackId: '' }), 'INVALID_REQUEST'],
  ['an epoch of another protocol', beat('a', -2), 'INVALID_REQUEST'],
  ['a join without topics', beat('b', 0, { subscribedTopicNames: null }), 'INVALID_REQUEST'],
  ['a join with no topics', beat('b', 0, { subscribedTopicNames: [] }), 'INVALID_REQUEST'],
  ['too many topics', beat('b', 0, { subscribedTopicNames: ['a', 'b', 'c', 'd'] }), 'INVALID_REQUEST'],
  [
    'names that are too long together',
    beat('b', 0, { subscribedTopicNames: ['x'.repeat(200)] }),
    'GROUP_MAX_SIZE_REACHED',
  ],
  ['an unknown member', beat('b', 1), 'UNKNOWN_MEMBER_ID'],
  ['an unknown member that leaves', beat('b', -1), 'UNKNOWN_MEMBER_ID'],
  ['a future epoch', beat('a', 5), 'FENCED_MEMBER_EPOCH'],
  ['an epoch before the previous one', beat('a', 1), 'FENCED_MEMBER_EPOCH'],
];

for (const [what, heartbeat, error] of refusals) {
  test(`a heartbeat is refused: ${what}`, () => {
    const group = new ShareGroup('g');
    sendHeartbeat(group, beat('a', 0));
    for (const other of ['c', 'd']) {
      sendHeartbeat(group, beat(other, 0));
      sendHeartbeat(group, beat('a', group.epoch - 1));
    }
    const { epoch } = group;
    const { answer, effects } = sendHeartbeat(group, heartbeat);
    assert.deepEqual([answer.error, effects.isChanged, group.epoch], [error, false, epoch]);
  });
}

test('a member that did not receive the last answer sends the previous epoch', () => {
  const group = new ShareGroup('g');
  sendHeartbeat(group, beat('a', 0));
  sendHeartbeat(group, beat('b', 0));
  sendHeartbeat(group, beat('a', 1));
  const { answer } = sendHeartbeat(group, beat('a', 1));
  assert.deepEqual([answer.error, answer.memberEpoch], ['NONE', 2]);
  assert.notEqual(answer.assignment, null, 'the assignment is sent again');
});

test('a full group refuses new members', () => {
  const group = new ShareGroup('g');
  for (const memberId of ['a', 'b', 'c', 'd']) sendHeartbeat(group, beat(memberId, 0));
  assert.equal(sendHeartbeat(group, beat('e', 0)).answer.error, 'GROUP_MAX_SIZE_REACHED');
  assert.equal(
    sendHeartbeat(group, beat('a', 0)).answer.error,
    'NONE',
    'a rejoining member does not count twice',
  );
});

test('a member whose session expires is removed', () => {
  const group = new ShareGroup('g');
  assert.equal(sendHeartbeat(group, beat('a', 0)).effects.soonestMs, 45_000);
  sendHeartbeat(group, beat('b', 0), 10_000);
  assert.equal(nextDeadlineMs(group, rules), 45_000);
  const { gone, isChanged } = step(group, { kind: 'tick' }, 45_000, rules, topics).effects;
  assert.deepEqual([gone, isChanged, [...group.members.keys()]], [['a'], true, ['b']]);
});

test('a grown topic is assigned again, and a deleted one is dropped', () => {
  const group = new ShareGroup('g');
  sendHeartbeat(group, beat('a', 0));
  step(group, { kind: 'topics' }, 0, rules, topics);
  assert.equal(group.epoch, 1, 'nothing has changed');
  step(group, { kind: 'topics' }, 0, rules, topicsOf(new Map([['t', 5]])));
  assert.deepEqual([group.epoch, group.targetOf('a').get('t')], [2, [0, 1, 2, 3, 4]]);
  step(group, { kind: 'topics' }, 0, rules, topicsOf(new Map()));
  assert.deepEqual([group.epoch, countOf(group.targetOf('a'))], [3, 0]);
});

test('assignments are an interval apart, and the interval ends without a heartbeat', () => {
  const group = new ShareGroup('g');
  const spaced = { ...rules, assignmentIntervalMs: 1_000 };
  const send = (heartbeat: ShareHeartbeat, nowMs: number) =>
    step(group, { kind: 'heartbeat', heartbeat }, nowMs, spaced, topics);
  const joined = send(beat('a', 0), 0);
  assert.equal(countOf(group.targetOf('a')), 3, 'the first assignment does not wait');
  assert.equal(joined.effects.soonestMs, 45_000);

  const late = send(beat('b', 0), 400);
  assert.deepEqual([late.answer.memberEpoch, late.answer.assignment, late.effects.isChanged], [1, [], true]);
  assert.equal(late.effects.soonestMs, 1_000, 'the group is woken when the interval ends');
  assert.deepEqual([group.epoch, group.assignmentEpoch, nextDeadlineMs(group, spaced)], [2, 1, 1_000]);
  assert.equal(stateOf(group), 'Stable');
  send(beat('c', 0), 500);
  const before = step(group, { kind: 'tick' }, 999, spaced, topics);
  assert.deepEqual([group.assignmentEpoch, before.effects.isChanged], [1, false]);
  assert.equal(send(beat('a', 1), 999).answer.assignment, null);

  const woken = step(group, { kind: 'tick' }, 1_000, spaced, topics);
  assert.deepEqual(
    [woken.effects.isChanged, group.assignmentEpoch],
    [true, 3],
    'both changes share one computation',
  );
  for (const memberId of ['a', 'b', 'c']) {
    const { answer } = send(beat(memberId, 1), 1_000);
    assert.deepEqual([answer.memberEpoch, answer.assignment?.[0]?.partitions.length], [3, 1], memberId);
  }
  send(beat('c', -1), 2_000);
  assert.equal(group.assignmentEpoch, 4, 'a change after the interval does not wait');
});

test('a shorter interval applies to a change that waits', () => {
  const group = new ShareGroup('g');
  const send = (memberId: string, assignmentIntervalMs: number) =>
    step(
      group,
      { kind: 'heartbeat', heartbeat: beat(memberId, 0) },
      0,
      { ...rules, assignmentIntervalMs },
      topics,
    );
  send('a', 15_000);
  send('b', 15_000);
  assert.equal(group.assignmentEpoch, 1);
  step(group, { kind: 'tick' }, 0, rules, topics);
  assert.equal(group.assignmentEpoch, 2);
});

test('a member gives up what it no longer subscribes to before the interval ends', () => {
  const group = new ShareGroup('g');
  const spaced = { ...rules, assignmentIntervalMs: 1_000 };
  const counts = { t: 2, u: 2 };
  const both = topicsOf(new Map(Object.entries(counts)));
  const send = (memberEpoch: number, subscribedTopicNames: string[]) =>
    step(
      group,
      { kind: 'heartbeat', heartbeat: beat('a', memberEpoch, { subscribedTopicNames }) },
      0,
      spaced,
      both,
    ).answer;
  send(0, ['t', 'u']);
  assert.deepEqual(send(1, ['u']).assignment, [{ topicId: 'u', partitions: [0, 1] }]);
  assert.deepEqual([group.epoch, group.assignmentEpoch], [2, 1]);
});

test('a group whose members left is assigned without a wait as soon as the interval is over', () => {
  const group = new ShareGroup('g');
  const spaced = { ...rules, assignmentIntervalMs: 1_000 };
  const send = (heartbeat: ShareHeartbeat, nowMs: number) =>
    step(group, { kind: 'heartbeat', heartbeat }, nowMs, spaced, topics);
  send(beat('a', 0), 0);
  send(beat('a', -1), 100);
  assert.deepEqual([group.epoch, group.assignmentEpoch, group.targets.size], [2, 2, 0]);
  assert.equal(nextDeadlineMs(group, spaced), Number.POSITIVE_INFINITY);
  assert.deepEqual(send(beat('b', 0), 200).answer.assignment, []);
  step(group, { kind: 'tick' }, 1_000, spaced, topics);
  assert.equal(countOf(group.targetOf('b')), 3);
});

test('only a group whose assignment waits is stored in the newer layout', () => {
  const group = new ShareGroup('g');
  const spaced = { ...rules, assignmentIntervalMs: 1_000 };
  const stored = () => {
    const writer = new ByteWriter();
    writeShareGroup(group, writer);
    const bytes = writer.take();
    const reader = new ByteReader(bytes);
    const { epoch, assignmentEpoch, targets } = readShareGroup('g', reader, 0);
    reader.end();
    assert.deepEqual(targets.get('a'), group.targetOf('a'));
    return [bytes[0], epoch, assignmentEpoch];
  };
  for (const memberId of ['a', 'b']) {
    step(group, { kind: 'heartbeat', heartbeat: beat(memberId, 0) }, 0, spaced, topics);
    if (memberId === 'a') assert.deepEqual(stored(), [1, 1, 1]);
  }
  assert.deepEqual(stored(), [2, 2, 1]);
  step(group, { kind: 'tick' }, 1_000, spaced, topics);
  assert.deepEqual(stored(), [1, 2, 2]);
});

test('only a group without members can be deleted', () => {
  const group = new ShareGroup('g');
  sendHeartbeat(group, beat('a', 0));
  assert.equal(step(group, { kind: 'delete' }, 0, rules, topics).answer, 'NON_EMPTY_GROUP');
  sendHeartbeat(group, beat('a', -1));
  assert.equal(step(group, { kind: 'delete' }, 0, rules, topics).answer, 'NONE');
  assert.equal(stateOf(group), 'Dead');
});

const memberIds = ['a', 'b', 'c', 'd', 'e', 'f'];

type Operation =
  | { readonly kind: 'join'; readonly member: number; readonly names: readonly string[] }
  | { readonly kind: 'beat' | 'leave'; readonly member: number }
  | { readonly kind: 'topic'; readonly name: string; readonly partitionCount: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'failover' };

const member = fc.nat(memberIds.length - 1);
const topicName = fc.constantFrom('t', 'u', 'v');
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    kind: fc.constant('join' as const),
    member,
    names: fc.uniqueArray(topicName, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constantFrom('beat' as const, 'leave' as const), member }),
  fc.record({ kind: fc.constant('topic' as const), name: topicName, partitionCount: fc.nat(5) }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(300, 1_000, 30_000) }),
  fc.record({ kind: fc.constant('failover' as const) }),
);

/**
 * Invariants, unless an assignment waits: every partition of a subscribed topic has a subscriber that reads it; no
 * member is idle that could read a partition. Always: a member gets only the assignment that the group has for it;
 * epochs only grow.
 */
test('the partitions of a share group are always shared by all of its members', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(0, 1_000),
      fc.array(operation, { maxLength: 60, size: 'max' }),
      (intervalMs, operations) => {
        const wide = {
          ...rules,
          assignmentIntervalMs: intervalMs,
          groupSizeMax: memberIds.length,
          textCharsMax: 1_000,
        };
        const counts = new Map([['t', 3]]);
        const view = topicsOf(counts);
        let group = new ShareGroup('g');
        let nowMs = 0;
        const epochs = new Map<string, number>();
        const send = (heartbeat: ShareHeartbeat): void => {
          const { answer } = step(group, { kind: 'heartbeat', heartbeat }, nowMs, wide, view);
          const { memberId } = heartbeat;
          if (answer.error !== 'NONE' || heartbeat.memberEpoch < 0) epochs.delete(memberId);
          else epochs.set(memberId, answer.memberEpoch);
          const isThere = group.members.has(memberId);
          assert.equal(isThere, answer.error === 'NONE' && heartbeat.memberEpoch >= 0);
          if (isThere && answer.assignment !== null) {
            const assigned = new Map(
              answer.assignment.map(({ topicId, partitions }) => [topicId, partitions]),
            );
            assert.deepEqual(assigned, new Map(group.targetOf(memberId)));
          }
        };
        for (const one of operations) {
          const { epoch } = group;
          const memberId = 'member' in one ? memberIds[one.member]! : '';
          if (one.kind === 'join') send(beat(memberId, 0, { subscribedTopicNames: one.names }));
          else if (one.kind === 'beat' && epochs.has(memberId)) send(beat(memberId, epochs.get(memberId)!));
          else if (one.kind === 'leave' && epochs.has(memberId)) send(beat(memberId, -1));
          else if (one.kind === 'topic') {
            if (one.partitionCount === 0) counts.delete(one.name);
            else counts.set(one.name, Math.max(one.partitionCount, counts.get(one.name) ?? 0));
            step(group, { kind: 'topics' }, nowMs, wide, view);
          } else if (one.kind === 'pass') {
            nowMs += one.ms;
            for (const gone of step(group, { kind: 'tick' }, nowMs, wide, view).effects.gone)
              epochs.delete(gone);
          } else if (one.kind === 'failover') {
            const writer = new ByteWriter();
            writeShareGroup(group, writer);
            const reader = new ByteReader(writer.take());
            const { targets, assignmentEpoch } = group;
            group = readShareGroup('g', reader, nowMs + wide.sessionTimeoutMs);
            reader.end();
            // A member that waits for its first target has an empty one, stored or not.
            for (const id of group.members.keys())
              assert.deepEqual(group.targetOf(id), targets.get(id) ?? new Map());
            assert.equal(group.assignmentEpoch, assignmentEpoch);
          }
          assert.ok(group.epoch >= epoch, 'epochs only grow');
          assert.ok(group.assignmentEpoch <= group.epoch);
          assert.ok(group.assignmentEpoch === group.epoch || intervalMs > 0);
          if (group.assignmentEpoch === group.epoch) checkShares(group, counts);
          else assert.ok(nextDeadlineMs(group, wide) <= nowMs + intervalMs, 'a wait ends');
        }
      },
    ),
    { numRuns: 500 },
  );
});

function checkShares(group: ShareGroup, counts: ReadonlyMap<string, number>): void {
  const readers = new Map<string, number>();
  for (const { memberId, names } of group.members.values()) {
    const target = group.targetOf(memberId);
    for (const [topicId, numbers] of target) {
      assert.ok(names.includes(topicId), 'members read only subscribed topics');
      for (const number of numbers)
        readers.set(`${topicId}/${number}`, (readers.get(`${topicId}/${number}`) ?? 0) + 1);
    }
    const isIdle = countOf(target) === 0;
    assert.equal(isIdle, !names.some((name) => counts.has(name)), `${memberId} has partitions`);
  }
  for (const [name, partitionCount] of counts) {
    if (!group.isSubscribedTo(name)) continue;
    for (let number = 0; number < partitionCount; number++) assert.ok(readers.has(`${name}/${number}`));
  }
  const isAlike = new Set(Array.from(group.members.values(), ({ names }) => names.join())).size === 1;
  if (!isAlike || readers.size === 0) return;
  const loads = Array.from(group.members.keys(), (memberId) => countOf(group.targetOf(memberId)));
  assert.ok(Math.max(...loads) - Math.min(...loads) <= 1, 'members have equal numbers of partitions');
  const shares = [...readers.values()];
  assert.ok(Math.max(...shares) - Math.min(...shares) <= 1, 'partitions have equal numbers of readers');
}
