import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAgo, formatBytes, formatCount, formatDuration, formatShort, formatTime } from './format.ts';

test('numbers, bytes and durations', () => {
  const cases: readonly (readonly [string, string])[] = [
    [formatCount(1234567), '1,234,567'],
    [formatShort(0.1234), '0.12'],
    [formatShort(12.34), '12.3'],
    [formatShort(9_999), '9,999'],
    [formatShort(12_345), '12.3K'],
    [formatBytes(0), '0 B'],
    [formatBytes(1023), '1,023 B'],
    [formatBytes(1536), '1.5 KiB'],
    [formatBytes(3 * 1024 ** 3), '3 GiB'],
    [formatDuration(340), '340 ms'],
    [formatDuration(61_000), '1 min 1 s'],
    [formatDuration(90_000_000), '1 d 1 h'],
    [formatDuration(3_600_000), '1 h'],
    [formatAgo(0, 500), 'now'],
    [formatAgo(0, 61_000), '1 min ago'],
    [formatAgo(10_000, 0), 'now'],
    [formatTime('2026-02-07T19:02:11.204Z', 'utc'), '2026-02-07 19:02:11'],
    [formatTime('2026-02-07T19:02:11.204Z', 'utc', true), '2026-02-07 19:02:11.204'],
    [formatTime('no time', 'utc'), 'no time'],
  ];
  for (const [found, wanted] of cases) assert.equal(found, wanted);
});
