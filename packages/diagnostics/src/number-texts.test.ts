import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, counted, duration, ending, percent, some } from './number-texts.ts';

test('numbers are formatted for sentences', () => {
  const rows = [
    [duration(0), '0 ms'],
    [duration(999), '999 ms'],
    [duration(1000), '1 second'],
    [duration(1999), '1,999 ms'],
    [duration(119_999), '119 seconds'],
    [duration(120_000), '2 minutes'],
    [duration(47 * 3_600_000), '47 hours'],
    [duration(48 * 3_600_000), '2 days'],
    [ending(0), 'expired 0 ms ago'],
    [ending(-5000), 'expired 5 seconds ago'],
    [ending(5000), 'expires in 5 seconds'],
    [percent(0.29), '29 %'],
    [percent(0.7999), '79 %'],
    [percent(0.999), '99 %'],
    [percent(1), '100 %'],
    [bytes(1023), '1,023 bytes'],
    [bytes(1536), '1.5 KiB'],
    [bytes(100 * 1024), '100 KiB'],
    [bytes(3 * 2 ** 40), '3 TiB'],
    [counted(1, 'agent'), '1 agent'],
    [counted(1234, 'agent'), '1,234 agents'],
    [some(['a', 'b', 'c']), 'a, b, c'],
    [some(['a', 'b', 'c', 'd']), 'a, b, c and 1 more'],
  ];
  for (const [text, expected] of rows) assert.equal(text, expected);
});
