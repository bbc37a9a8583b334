import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AssignorName, assignors } from './assignor.ts';
import type { AssignorMember } from './assignor-member.ts';
import { countOf, has, noPartitions, type TopicPartitions } from './partitions.ts';

type Topics = ReadonlyMap<string, number>;

/** Members with the topics that they subscribe to: `a` to 0 and 1, `b` to 1. */
interface Case {
  readonly topics: Topics;
  readonly listening: readonly (readonly number[])[];
}

const anyCase: fc.Arbitrary<Case> = fc
  .record({
    counts: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 }),
    listening: fc.array(fc.uniqueArray(fc.nat(4), { minLength: 1 }), { minLength: 1, maxLength: 8 }),
  })
  .map(({ counts, listening }) => {
    const known = listening.map((own) => own.filter((topic) => topic < counts.length));
    const all = new Set(known.flat());
    const topics = new Map(
      counts.map((count, topic) => [`t${topic}`, count] as const).filter((_, topic) => all.has(topic)),
    );
    return { topics, listening: known };
  });

const alikeCase: fc.Arbitrary<Case> = fc
  .record({
    counts: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
    members: fc.integer({ min: 1, max: 12 }),
  })
  .map(({ counts, members }) => ({
    topics: new Map(counts.map((count, topic) => [`t${topic}`, count])),
    listening: Array.from({ length: members }, () => counts.map((_, topic) => topic)),
  }));

function membersOf(listening: Case['listening'], before: ReadonlyMap<string, TopicPartitions> = new Map()) {
  const shared = new Map<string, ReadonlySet<string>>();
  return listening.map((own, index): AssignorMember => {
    const key = own.toSorted().join();
    if (!shared.has(key)) shared.set(key, new Set(own.map((topic) => `t${topic}`)));
    const memberId = `m${index}`;
    return {
      memberId,
      instanceId: null,
      topics: shared.get(key)!,
      before: before.get(memberId) ?? noPartitions,
    };
  });
}

/** Every partition of a subscribed topic has one owner, and the owner subscribes to the topic. */
function assertComplete(
  members: readonly AssignorMember[],
  topics: Topics,
  assigned: ReadonlyMap<string, TopicPartitions>,
) {
  assert.deepEqual([...assigned.keys()].toSorted(), members.map(({ memberId }) => memberId).toSorted());
  for (const [topicId, count] of topics) {
    for (let partition = 0; partition < count; partition++) {
      const owners = members.filter(({ memberId }) => has(assigned.get(memberId)!, topicId, partition));
      assert.equal(owners.length, 1, `${topicId}-${partition} has ${owners.length} owners`);
      assert.ok(owners[0]!.topics.has(topicId));
    }
  }
}

for (const name of Object.keys(assignors) as AssignorName[]) {
  test(`${name} assigns every partition to one subscriber, for any order of members`, () => {
    fc.assert(
      fc.property(anyCase, ({ topics, listening }) => {
        const members = membersOf(listening);
        const assigned = assignors[name](members, topics);
        assertComplete(members, topics, assigned);
        const turned = assignors[name](members.toReversed(), topics);
        assert.deepEqual(new Map([...turned].toSorted()), new Map([...assigned].toSorted()));
      }),
    );
  });
}

test('uniform balances members with equal subscriptions to within one partition', () => {
  fc.assert(
    fc.property(alikeCase, ({ topics, listening }) => {
      const loads = [...assignors.uniform(membersOf(listening), topics).values()].map(countOf);
      assert.ok(Math.max(...loads) - Math.min(...loads) <= 1, loads.join());
    }),
  );
});

test('uniform leaves no partition whose move would bring two members closer', () => {
  fc.assert(
    fc.property(anyCase, ({ topics, listening }) => {
      const members = membersOf(listening);
      const assigned = assignors.uniform(members, topics);
      for (const from of members) {
        for (const topicId of assigned.get(from.memberId)!.keys()) {
          for (const to of members) {
            if (!to.topics.has(topicId)) continue;
            const gap = countOf(assigned.get(from.memberId)!) - countOf(assigned.get(to.memberId)!);
            assert.ok(gap <= 1, `${topicId} could go from ${from.memberId} to ${to.memberId}`);
          }
        }
      }
    }),
  );
});

test('uniform moves the fewest partitions when a member joins or leaves', () => {
  fc.assert(
    fc.property(alikeCase, fc.boolean(), ({ topics, listening }, comes) => {
      const before = assignors.uniform(membersOf(listening), topics);
      const now = comes ? [...listening, listening[0]!] : listening.slice(0, -1);
      const members = membersOf(now, before);
      const after = assignors.uniform(members, topics);
      if (members.length > 0) assertComplete(members, topics, after);
      for (const { memberId } of members) {
        const had = before.get(memberId) ?? noPartitions;
        const retained = [...had].flatMap(([topicId, numbers]) =>
          numbers.filter((number) => has(after.get(memberId)!, topicId, number)),
        );
        // A remaining member loses only its excess, and gains only when another member left.
        assert.equal(retained.length, Math.min(countOf(had), countOf(after.get(memberId)!)));
      }
    }),
  );
});

test('uniform returns the same assignment when nothing changed', () => {
  fc.assert(
    fc.property(anyCase, ({ topics, listening }) => {
      const first = assignors.uniform(membersOf(listening), topics);
      assert.deepEqual(assignors.uniform(membersOf(listening, first), topics), first);
    }),
  );
});

test('uniform handles two members that claim the same partitions', () => {
  const both = new Map([['t0', [0, 1, 2, 3]]]);
  const members = membersOf(
    [[0], [0]],
    new Map([
      ['m0', both],
      ['m1', both],
    ]),
  );
  const topics = new Map([['t0', 4]]);
  assertComplete(members, topics, assignors.uniform(members, topics));
});

test('range assigns equal partition numbers of topics with equal subscribers and partition counts', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 6 }),
      (partitions, memberCount) => {
        const topics = new Map([
          ['t0', partitions],
          ['t1', partitions],
        ]);
        const members = membersOf(Array.from({ length: memberCount }, () => [0, 1]));
        const assigned = assignors.range(members, topics);
        for (const [memberId, own] of assigned) assert.deepEqual(own.get('t0'), own.get('t1'), memberId);
        const lengths = members.map(({ memberId }) => assigned.get(memberId)!.get('t0')?.length ?? 0);
        assert.ok(Math.max(...lengths) - Math.min(...lengths) <= 1);
        for (const own of assigned.values()) {
          for (const numbers of own.values()) assert.equal(numbers.at(-1)! - numbers[0]!, numbers.length - 1);
        }
      },
    ),
  );
});

test('range keeps the position of a static member that rejoins with another member id', () => {
  const first = rangesOf({ z: 'one', b: 'two', c: 'three' });
  const then = rangesOf({ a: 'one', b: 'two', c: 'three' });
  assert.deepEqual(then.get('a'), first.get('z'));
  assert.deepEqual(then.get('b'), first.get('b'));
});

test('range keeps the ranges of static members when others change their ids, as Kafka does', () => {
  const first = rangesOf({ z: 'one', b: 'two', m: null });
  const then = rangesOf({ z: 'one', b: 'two', a: null });
  assert.deepEqual(
    ['z', 'b', 'm'].map((memberId) => first.get(memberId)),
    [
      [0, 1],
      [2, 3],
      [4, 5],
    ],
  );
  assert.deepEqual(then.get('z'), first.get('z'));
  assert.deepEqual(then.get('b'), first.get('b'));
});

/** Assigns a topic of six partitions to members, given as instance ids by member id. */
function rangesOf(instanceIds: Readonly<Record<string, string | null>>) {
  const topics = new Set(['t']);
  const members = Object.entries(instanceIds).map(([memberId, instanceId]) => ({
    memberId,
    instanceId,
    topics,
    before: noPartitions,
  }));
  const assigned = assignors.range(members, new Map([['t', 6]]));
  return new Map(members.map(({ memberId }) => [memberId, assigned.get(memberId)?.get('t')]));
}
