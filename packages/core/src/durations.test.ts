import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatDurationMs, parseDurationMs } from './durations.ts';

test('durations are parsed with their units', () => {
  const cases: readonly [text: string, ms: number | undefined][] = [
    ['0', 0],
    ['0s', 0],
    ['250ms', 250],
    ['300s', 300_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1h30m', 5_400_000],
    ['1m250ms', 60_250],
    ['1d', 86_400_000],
    ['2w', 1_209_600_000],
    ['1.5h', 5_400_000],
    [' 1h ', 3_600_000],
    // This one is not whole in floating point.
    ['1.005s', 1_005],

    ['', undefined],
    ['300', undefined],
    ['s', undefined],
    ['-1s', undefined],
    ['1 h', undefined],
    ['1H', undefined],
    ['1us', undefined],
    ['0.5ms', undefined],
    ['1h30', undefined],
    ['99999999999999w', undefined],
  ];
  for (const [text, ms] of cases) assert.equal(parseDurationMs(text), ms, text);
});

test('durations are printed in the largest unit that divides them', () => {
  const cases: readonly [ms: number, text: string][] = [
    [0, '0s'],
    [1, '1ms'],
    [250, '250ms'],
    [1_500, '1500ms'],
    [90_000, '90s'],
    [300_000, '5m'],
    [5_400_000, '90m'],
    [86_400_000, '24h'],
  ];
  for (const [ms, text] of cases) assert.equal(formatDurationMs(ms), text);
});

test('a printed duration parses back to the same duration', () => {
  fc.assert(
    fc.property(fc.nat(Number.MAX_SAFE_INTEGER), (ms) => parseDurationMs(formatDurationMs(ms)) === ms),
  );
});
