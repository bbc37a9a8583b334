import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CommitRules, planCommits } from './plan-commits.ts';

interface Here {
  /** The end of the copy; absent if the partition is not here. */
  readonly end?: number;
  readonly committed?: number;
  readonly hasMembers?: boolean;
  readonly isManaged?: boolean;
  readonly isActiveAtSource?: boolean;
}

function rulesOf(here: Here): CommitRules {
  const { end, committed, hasMembers = false, isManaged = true, isActiveAtSource = false } = here;
  return {
    destinationOf: (topic) => (isManaged ? `old.${topic}` : undefined),
    groupPrefix: 'g-',
    highWatermark: () => end,
    group: () =>
      committed === undefined && !hasMembers ? undefined : { hasMembers, committed: () => committed },
    isActiveAtSource: () => isActiveAtSource,
  };
}

const commit = (offset: number) => ({ groupId: 'app', topic: 'orders', partition: 0, offset, metadata: 'm' });

// biome-ignore format: a table
const cases: readonly [what: string, offset: number, here: Here, expected: number | 'nothing', isClamped?: boolean][] = [
  ['a group that is not here yet',              50, { end: 100 },                                 50],
  ['a group that is behind here',               50, { end: 100, committed: 20 },                  50],
  ['a group that is as far here',               50, { end: 100, committed: 50 },                  'nothing'],
  ['a group that is further here',              50, { end: 100, committed: 70 },                  'nothing'],
  ['records that are not copied yet',           50, { end: 30 },                                  30, true],
  ['records that are not copied yet, again',    50, { end: 40, committed: 30 },                   40, true],
  ['records that have arrived since',           50, { end: 60, committed: 40 },                   50],
  ['a group that is further than the copy',     50, { end: 30, committed: 45 },                   'nothing'],
  ['an offset below the start of the copy',      3, { end: 100 },                                  3],
  ['an empty copy',                             50, { end: 0 },                                    0, true],
  ['a group with members here',                 50, { end: 100, hasMembers: true },               'nothing'],
  ['a topic that is handed over',               50, { end: 100, isManaged: false },               'nothing'],
  ['a partition that is not copied yet',        50, {},                                           'nothing'],
];

for (const [what, offset, here, expected, isClamped = false] of cases)
  test(`${what}: ${expected}`, () => {
    const { commits } = planCommits([commit(offset)], rulesOf(here));
    assert.deepEqual(
      commits,
      expected === 'nothing'
        ? []
        : [
            {
              groupId: 'g-app',
              topic: 'old.orders',
              partition: 0,
              offset: expected,
              metadata: 'm',
              isClamped,
            },
          ],
    );
  });

test('a group with members on both sides is reported, and not merged', () => {
  const { busy, commits } = planCommits(
    [commit(1), { ...commit(2), partition: 1 }],
    rulesOf({ end: 9, hasMembers: true, isActiveAtSource: true }),
  );
  assert.deepEqual([busy, commits], [[{ groupId: 'g-app', isActiveAtSource: true }], []]);
});

test('rounds never move a group backwards, nor beyond the copy, and end where the source is', () =>
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(100), fc.nat(100)), { minLength: 1 }), (rounds) => {
      let committed: number | undefined;
      let end = 0;
      for (const [offset, copied] of rounds) {
        end = Math.max(end, copied);
        const here: Here = { end, ...(committed !== undefined && { committed }) };
        const [planned] = planCommits([commit(offset)], rulesOf(here)).commits;
        if (planned === undefined) {
          assert.ok(committed !== undefined && committed >= Math.min(offset, end));
          continue;
        }
        assert.ok(planned.offset <= end && planned.offset > (committed ?? -1));
        assert.equal(planned.offset, Math.min(offset, end));
        committed = planned.offset;
      }
    }),
  ));
