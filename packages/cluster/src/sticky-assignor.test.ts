import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assignInTurn } from './round-robin-assignor.ts';
import { assignCooperatively, type OwningSubscriber } from './sticky-assignor.ts';

const counts = new Map([
  ['a', 7],
  ['b', 4],
]);

const member = (memberId: string, topics = ['a', 'b']): OwningSubscriber => ({
  memberId,
  instanceId: null,
  topics: new Set(topics),
  owned: [],
  generationId: -1,
});

type Assigned = ReturnType<typeof assignCooperatively>;

const placesOf = (assigned: Assigned, memberId: string) =>
  [...(assigned.get(memberId) ?? [])].flatMap(([topic, partitions]) =>
    partitions.map((partition) => `${topic}:${partition}`),
  );

/** Members as they join again with what they got. */
const rejoined = (members: readonly OwningSubscriber[], assigned: Assigned, generationId: number) =>
  members.map((one) => ({
    ...one,
    owned: [...(assigned.get(one.memberId) ?? [])].map(([topic, partitions]) => ({ topic, partitions })),
    generationId,
  }));

test('members come and go: two rounds later all partitions are assigned once, evenly, and few have moved', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 8 }), { maxLength: 8 }),
      (groups) => {
        let known: readonly OwningSubscriber[] = [];
        let generation = 0;
        for (const ids of groups) {
          const before = new Map(known.map((one) => [one.memberId, one]));
          let members = ids.map((id) => before.get(`m${id}`) ?? member(`m${id}`));
          const owners = new Map(
            members.flatMap((one) =>
              one.owned.flatMap(({ topic, partitions }) =>
                partitions.map((partition): [string, string] => [`${topic}:${partition}`, one.memberId]),
              ),
            ),
          );
          const first = assignCooperatively(members, counts);
          for (const { memberId } of members)
            for (const place of placesOf(first, memberId))
              assert.ok([undefined, memberId].includes(owners.get(place)), 'its owner gives it up first');
          members = rejoined(members, first, ++generation);
          const second = assignCooperatively(members, counts);
          const all = members.flatMap(({ memberId }) => placesOf(second, memberId));
          assert.equal(all.length, 11);
          assert.equal(new Set(all).size, 11);
          const sizes = members.map(({ memberId }) => placesOf(second, memberId).length);
          assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 1, String(sizes));
          for (const { memberId } of members)
            for (const place of placesOf(first, memberId))
              assert.ok(placesOf(second, memberId).includes(place));
          known = rejoined(members, second, ++generation);
        }
      },
    ),
  );
});

test('of two that say they have a partition the one that got it last keeps it', () => {
  const owned = [{ topic: 'b', partitions: [0, 1, 9] }];
  const members = [
    { ...member('x'), owned, generationId: 3 },
    { ...member('y'), owned, generationId: 4 },
  ];
  const assigned = assignCooperatively(members, counts);
  assert.ok(['b:0', 'b:1'].every((place) => placesOf(assigned, 'y').includes(place)));
});

test('partitions go only to members that read their topic', () => {
  const members = [member('x', ['a']), member('y', ['b', 'unknown'])];
  for (const assign of [assignCooperatively, assignInTurn]) {
    const assigned = assign(members, counts);
    assert.equal(placesOf(assigned, 'x').length, 7);
    assert.equal(placesOf(assigned, 'y').length, 4);
  }
});

test('partitions are dealt in turn', () => {
  const assigned = assignInTurn(
    [member('y'), member('x')],
    new Map([
      ['a', 3],
      ['b', 2],
    ]),
  );
  assert.deepEqual(placesOf(assigned, 'x'), ['a:0', 'a:2', 'b:1']);
  assert.deepEqual(placesOf(assigned, 'y'), ['a:1', 'b:0']);
});
