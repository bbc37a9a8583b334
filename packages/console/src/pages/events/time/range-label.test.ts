import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveTimeRange, type TimeRange } from '@weir/events';
import fc from 'fast-check';
import { rangeBetween, rangeLabel } from './range-label.ts';

test('ranges have labels', () => {
  const cases: readonly (readonly [TimeRange, string])[] = [
    [{ relative: '1h' }, 'Last hour'],
    [{ relative: '35m' }, 'Last 35m'],
    [{ preset: 'yesterday' }, 'Yesterday'],
    [{ day: '2026-11-15' }, '2026-11-15'],
    [{ day: '2026-11-15', from: '09:30' }, '2026-11-15 09:30 – 24:00'],
    [{ start: '2026-11-15T10:00:00Z', end: '2026-11-15T11:00:00Z' }, '2026-11-15 10:00:00 – 11:00:00'],
    [
      { start: '2026-11-15T23:00:00Z', end: '2026-11-16T01:00:00Z' },
      '2026-11-15 23:00:00 – 2026-11-16 01:00:00',
    ],
  ];
  for (const [range, label] of cases) assert.equal(rangeLabel(range, 'utc'), label);
});

test('every selection is a range that a search takes', () => {
  const time = fc.integer({ min: 0, max: 4_000_000_000_000 });
  fc.assert(
    fc.property(time, fc.integer({ min: 0, max: 400_000_000 }), (fromMs, lengthMs) => {
      const { problem } = resolveTimeRange(rangeBetween(fromMs, fromMs + lengthMs, 30_000), {
        nowMs: 0,
        timeZone: 'UTC',
      });
      assert.equal(problem, undefined);
    }),
  );
});

test('a selection has the buckets that it touches', () => {
  assert.deepEqual(rangeBetween(31_000, 65_000, 30_000), {
    start: '1970-01-01T00:00:30.000Z',
    end: '1970-01-01T00:01:30.000Z',
  });
  assert.deepEqual(rangeBetween(31_000, 31_000, 0), {
    start: '1970-01-01T00:00:31.000Z',
    end: '1970-01-01T00:00:32.000Z',
  });
});
