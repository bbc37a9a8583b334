import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newOffset, type OffsetTarget, type PartitionFacts } from './offset-target.ts';

const facts: PartitionFacts = { earliest: 10n, latest: 100n, committed: 40n };
const uncommitted: PartitionFacts = { ...facts, committed: undefined };
const shift = (by: bigint): OffsetTarget => ({ kind: 'shift', by });
const to = (offset: bigint): OffsetTarget => ({ kind: 'offset', offset });
const atNoon: OffsetTarget = { kind: 'time', timestampMs: 1 };

// biome-ignore format: a table
const cases: readonly [target: OffsetTarget, facts: PartitionFacts, offset: bigint, outOfRange?: bigint][] = [
  [{ kind: 'earliest' }, facts,                       10n],
  [{ kind: 'latest' },   facts,                       100n],
  [{ kind: 'current' },  facts,                       40n],
  [{ kind: 'current' },  { ...facts, committed: 5n }, 5n],
  [{ kind: 'current' },  uncommitted,                 100n],
  [to(55n),              uncommitted,                 55n],
  [to(100n),             facts,                       100n],
  [to(101n),             facts,                       100n, 101n],
  [to(9n),               facts,                       10n,  9n],
  [shift(5n),            facts,                       45n],
  [shift(-5n),           facts,                       35n],
  [shift(-31n),          facts,                       10n,  9n],
  [shift(1_000n),        facts,                       100n, 1_040n],
  [atNoon,               { ...facts, atTime: 77n },   77n],
  [atNoon,               { ...facts, atTime: -1n },   100n],
];

test('offsets are clamped to what a partition has', () => {
  for (const [target, given, offset, outOfRange] of cases)
    assert.deepEqual(newOffset(target, given), {
      offset,
      ...(outOfRange === undefined ? {} : { outOfRange }),
    });
});

test('what was never committed cannot be shifted', () => {
  assert.equal(newOffset(shift(1n), uncommitted), undefined);
});
