import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilBeatMs } from './beat.ts';

test('the wait ends at the next multiple of the interval, and is never zero', () => {
  const rows: [nowMs: number, intervalMs: number, untilMs: number][] = [
    [0, 1_000, 1_000],
    [1, 1_000, 999],
    [999.5, 1_000, 0.5],
    [1_000, 1_000, 1_000],
    [12_345, 250, 155],
  ];
  for (const [nowMs, intervalMs, untilMs] of rows) assert.equal(untilBeatMs(nowMs, intervalMs), untilMs);
});
