import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatBytes, GiB, KiB, MiB, parseBytes, TiB } from './bytes.ts';

test('byte counts are parsed with their units', () => {
  const cases: readonly [text: string, bytes: number | undefined][] = [
    ['0', 0],
    ['512', 512],
    ['512B', 512],
    ['1KiB', KiB],
    ['64MiB', 64 * MiB],
    ['64 mib', 64 * MiB],
    [' 2GiB ', 2 * GiB],
    ['1TiB', TiB],
    ['16MB', 16_000_000],
    ['3kb', 3_000],
    ['1.5GiB', 1.5 * GiB],
    // These two are not whole in floating point.
    ['8.2MB', 8_200_000],
    ['1.005MB', 1_005_000],

    ['', undefined],
    ['MiB', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['0.3KiB', undefined],
    ['1e3', undefined],
    ['5m', undefined],
    ['5constructor', undefined],
    ['1MiB2', undefined],
    ['9007199254740993', undefined],
  ];
  for (const [text, bytes] of cases) assert.equal(parseBytes(text), bytes, text);
});

test('byte counts are printed in the unit with the smallest number', () => {
  const cases: readonly [bytes: number, text: string][] = [
    [0, '0'],
    [1, '1'],
    [1_000, '1kB'],
    [1_023, '1023'],
    [1_024, '1KiB'],
    [1_500, '1500'],
    [16_000_000, '16MB'],
    [64 * MiB, '64MiB'],
    [1.5 * GiB, '1536MiB'],
    [2 * TiB, '2TiB'],
  ];
  for (const [bytes, text] of cases) assert.equal(formatBytes(bytes), text);
});

test('a printed count parses back to the same count', () => {
  const count = fc.oneof(
    fc.nat(Number.MAX_SAFE_INTEGER),
    fc
      .tuple(fc.nat(4_096), fc.constantFrom(1e3, 1e6, 1e9, KiB, MiB, GiB))
      .map(([amount, unit]) => amount * unit),
  );
  fc.assert(fc.property(count, (bytes) => parseBytes(formatBytes(bytes)) === bytes));
});
