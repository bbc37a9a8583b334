import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimeRange } from '@weir/events';
import { liveProblem } from './live-problem.ts';

const context = { nowMs: Date.parse('2026-11-15T11:20:00Z'), zone: 'utc', timeZone: 'UTC' } as const;

test('live events need a time that reaches to now', () => {
  const cases: readonly (readonly [TimeRange, RegExp | undefined])[] = [
    [{ relative: '1h' }, undefined],
    [{ preset: 'today' }, undefined],
    [{ day: '2026-11-15', from: '11:00' }, undefined],
    [{ start: '2026-11-15T11:00:00Z', end: '2026-11-15T12:00:00Z' }, undefined],
    [{ preset: 'yesterday' }, /includes now; the chosen range ended at 2026-11-15 00:00:00/],
    [{ day: '2026-11-15', to: '11:00' }, /ended at 2026-11-15 11:00:00/],
    [{ start: '2026-11-15T11:30:00Z', end: '2026-11-15T12:00:00Z' }, /starts at 2026-11-15 11:30:00/],
    // What is wrong with it is said elsewhere.
    [{ relative: 'soon' }, undefined],
  ];
  for (const [range, expected] of cases) {
    const problem = liveProblem(range, context);
    if (expected === undefined) assert.equal(problem, undefined, JSON.stringify(range));
    else assert.match(problem ?? '', expected);
  }
});
