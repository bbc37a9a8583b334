import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCopies, type FoundCopy, type Observation } from './check-copies.ts';

const copy = (source: number, offset: number, partition = 0): FoundCopy => ({
  of: { partition: 0, offset: source },
  partition,
  offset,
});
const seen = (committed: number, ...ends: readonly number[]): Observation => ({
  committed: new Map([[0, committed]]),
  ends: new Map(ends.entries()),
});

const cases: readonly [what: string, copies: FoundCopy[], observations: Observation[], findings: string[]][] =
  [
    ['copies in order', [copy(0, 0), copy(1, 1)], [seen(0, 0), seen(1, 1), seen(2, 2)], []],
    ['copies in any order, and twice', [copy(1, 0), copy(0, 1), copy(1, 2)], [seen(2, 3)], []],
    ['a copy is missing', [copy(1, 0)], [], ['record 0 of partition 0 has no copy']],
    [
      'an offset is committed before the copy',
      [copy(0, 0), copy(1, 1)],
      [seen(2, 1)],
      ['offset 2 of partition 0 was committed before record 1 had a copy'],
    ],
    ['the first of two copies was there', [copy(0, 0), copy(1, 0, 1), copy(1, 9)], [seen(2, 1, 1)], []],
    [
      'only the second of two copies is there',
      [copy(0, 0), copy(1, 5), copy(1, 9, 1)],
      [seen(2, 1, 5)],
      ['offset 2 of partition 0 was committed before record 1 had a copy'],
    ],
  ];

for (const [what, copies, observations, findings] of cases)
  test(`copies: ${what}`, () => {
    assert.deepEqual(checkCopies([2], copies, observations), findings);
  });
