import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsIn, differenceLabel, fieldsToCount, rankDifferences } from './rank-differences.ts';

const part = { startMs: 60_000, endMs: 120_000 };
const timeAt = (ms: number) => new Date(ms).toISOString();

/** A series with a count before, within and after the part. */
const series = (key: string | null, before: number, within: number, after: number, isOther = false) => ({
  key,
  is_other: isOther,
  count: before + within + after,
  total: before + within + after,
  points: [
    [timeAt(0), before],
    [timeAt(60_000), within],
    [timeAt(120_000), after],
  ],
});
const timeline = (...all: ReturnType<typeof series>[]) => ({
  bucket_seconds: 60,
  is_approximate: false,
  series: all,
});

test('events of the selection are counted apart from those before and after it', () => {
  const counts = countsIn(
    'type',
    timeline(series('a', 1, 2, 3), series(null, 4, 0, 0), series('x', 5, 6, 7, true)),
    part,
  );
  assert.deepEqual([counts.selectedTotal, counts.restTotal, counts.hasOther], [8, 20, true]);
  assert.deepEqual(
    counts.values.map(({ value, selected, rest }) => [value, selected, rest]),
    [
      ['a', 2, 4],
      [null, 0, 4],
    ],
  );
});

test('the value that is more frequent in the selection is first, and the same shares are no difference', () => {
  const operation = countsIn(
    'data.operation',
    timeline(series('WRITE', 10, 90, 10), series('READ', 45, 5, 45), series('ALTER', 5, 5, 5)),
    part,
  );
  const type = countsIn('type', timeline(series('acl_logs', 60, 100, 60)), part);
  const ranked = rankDifferences([type, operation]);
  assert.deepEqual(
    ranked.map(({ field, value }) => [field, value]),
    [
      ['data.operation', 'WRITE'],
      ['data.operation', 'READ'],
    ],
  );
  const [write] = ranked;
  assert.equal(write!.selectedShare, 0.9);
  assert.equal(write!.restShare, 20 / 120);
  assert.deepEqual(ranked.map(differenceLabel), ['5.4× as often', '0.07× as often']);
});

test('few events are no difference, and many are one also when the ratio is small', () => {
  const few = countsIn('f', timeline(series('a', 1, 2, 1), series('b', 3, 1, 3)), part);
  assert.deepEqual(rankDifferences([few]), []);
  const many = countsIn('m', timeline(series('a', 5_000, 6_000, 0), series('b', 5_000, 4_000, 0)), part);
  assert.equal(rankDifferences([many]).length, 2);
});

test('a value that is only on one side says so, and an empty side has no differences', () => {
  const counts = countsIn('f', timeline(series('new', 0, 50, 0), series('old', 100, 0, 0)), part);
  assert.deepEqual(
    rankDifferences([counts])
      .map((one) => [one.value, differenceLabel(one)])
      .toSorted(),
    [
      ['new', 'only in selection'],
      ['old', 'not in selection'],
    ],
  );
  assert.deepEqual(rankDifferences([countsIn('f', timeline(series('new', 0, 50, 0)), part)]), []);
});

const field = (
  name: string,
  values: Record<string, number>,
  types: ('string' | 'object')[] = ['string'],
) => ({
  name,
  types,
  events: Object.values(values).reduce((sum, one) => sum + one, 0),
  distinct_values: Object.keys(values).length,
  top_values: Object.entries(values).map(([value, events]) => ({ value, events })),
});

test('fields that differ between the samples are counted, and those that say nothing are not', () => {
  const all = {
    sampled_events: 100,
    fields: [
      field('type', { acl_logs: 100 }),
      field('data.operation', { READ: 80, WRITE: 20 }),
      field('data.principal', { bob: 50, ann: 50 }),
      field('id', { a: 1 }),
      field('data', { '{}': 100 }, ['object']),
      field('data.only_elsewhere', { x: 30 }),
    ],
  };
  const selected = {
    sampled_events: 10,
    fields: [
      field('type', { acl_logs: 10 }),
      field('data.operation', { WRITE: 10 }),
      field('data.principal', { bob: 6, ann: 4 }),
      field('id', { b: 1 }),
      field('data.offset', Object.fromEntries(Array.from({ length: 10 }, (_, at) => [at, 1]))),
    ],
  };
  assert.deepEqual(fieldsToCount(selected, all, 8), [
    'data.operation',
    'data.only_elsewhere',
    'data.principal',
  ]);
  assert.deepEqual(fieldsToCount(selected, all, 1), ['data.operation']);
});
