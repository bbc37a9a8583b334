import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coveredPart, timelineSeries } from './timeline-series.ts';

const at = (second: number) => `2026-01-31T12:00:0${second}.000Z`;

test('series share their times, and what is missing is zero or a gap', () => {
  const timeline = {
    bucket_seconds: 1,
    is_approximate: false,
    series: [
      {
        key: 'READ',
        is_other: false,
        count: 3,
        total: 3,
        points: [
          [at(0), 1],
          [at(1), 2],
        ],
      },
      { key: null, is_other: false, count: 1, total: 1, points: [[at(2), 1]] },
      { key: null, is_other: true, count: 1, total: 1, points: [[at(1), null]] },
    ],
  } as never;
  const { timesMs, series } = timelineSeries(timeline, { isCount: true, isGrouped: true });
  assert.equal(timesMs.length, 3);
  assert.deepEqual(
    series.map(({ label, values }) => [label, ...values]),
    [
      ['READ', 1, 2, 0],
      ['(none)', 0, 0, 1],
      ['Other', 0, 0, 0],
    ],
  );
  const aggregates = timelineSeries(timeline, { isCount: false, isGrouped: true });
  assert.deepEqual(aggregates.series[0]!.values, [1, 2, null]);
});

test('values that look the same have labels of their own', () => {
  const one = { is_other: false, count: 1, total: 1, points: [] };
  const timeline = {
    bucket_seconds: 1,
    is_approximate: false,
    series: [
      { ...one, key: 1 },
      { ...one, key: '1' },
      { ...one, key: '\u202ea', then_key: '' },
    ],
  } as never;
  const { series } = timelineSeries(timeline, { isCount: true, isGrouped: true });
  assert.deepEqual(
    series.map(({ label }) => label),
    ['1', '1 (2)', '⟨U+202E⟩a · (empty)'],
  );
});

test('events that fill a small part of the time say where they are', () => {
  const timesMs = Array.from({ length: 20 }, (_, at) => at * 1_000);
  const valuesAt = (...filled: readonly number[]) => ({
    values: timesMs.map((_, at) => (filled.includes(at) ? 1 : 0)),
  });
  assert.deepEqual(coveredPart(timesMs, [valuesAt(15), valuesAt(17)], 1_000), {
    startMs: 15_000,
    endMs: 18_000,
  });
  assert.equal(coveredPart(timesMs, [valuesAt(0), valuesAt(17)], 1_000), undefined);
  assert.equal(coveredPart(timesMs, [valuesAt()], 1_000), undefined);
  assert.equal(coveredPart([], [], 1_000), undefined);
});
