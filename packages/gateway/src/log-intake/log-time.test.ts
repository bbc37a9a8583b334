import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeText } from './log-line.ts';
import { nanosecondsIn, timeIn } from './log-time.ts';

test('times of shippers are read whatever their unit', () => {
  // biome-ignore format: a table
  const cases: [value: unknown, text: string | undefined][] = [
    [1_700_000_000,                      '2023-11-14T22:13:20.000Z'],
    [1_700_000_000.123456,               '2023-11-14T22:13:20.123456000Z'],
    [1_700_000_000_123,                  '2023-11-14T22:13:20.123Z'],
    [1_700_000_000_123_456,              '2023-11-14T22:13:20.123456000Z'],
    ['1700000000123456789',              '2023-11-14T22:13:20.123456789Z'],
    ['1700000000.5',                     '2023-11-14T22:13:20.500Z'],
    ['2023-11-14T22:13:20Z',             '2023-11-14T22:13:20.000Z'],
    ['2023-11-14T23:13:20.123456789+01:00', '2023-11-14T22:13:20.123456789Z'],
    ['2023-11-14 22:13:20,5',            '2023-11-14T22:13:20.500Z'],
    ['2023-11-14T21:13:20-0100',         '2023-11-14T22:13:20.000Z'],
    ['2023-13-14T21:13:20Z',             undefined],
    ['yesterday',                        undefined],
    ['',                                 undefined],
    [0,                                  undefined],
    [-5,                                 undefined],
    [Number.NaN,                         undefined],
    [1e300,                              undefined],
    ['99999999999999999999',             undefined],
    [null,                               undefined],
    [{},                                 undefined],
  ];
  for (const [value, text] of cases) {
    const timeNs = timeIn(value);
    assert.equal(timeNs === undefined ? undefined : timeText(timeNs), text, String(value));
  }
});

test('nanoseconds are whole numbers of 64 bits', () => {
  assert.equal(nanosecondsIn('1700000000123456789'), 1_700_000_000_123_456_789n);
  assert.equal(nanosecondsIn(1_000), 1_000n);
  for (const value of ['', '1.5', '-1', 1.5, -1, null, '0', String(2n ** 64n)])
    assert.equal(nanosecondsIn(value), undefined);
});
