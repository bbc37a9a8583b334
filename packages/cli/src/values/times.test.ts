import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateTime, timeSpan } from './times.ts';

test('a time without an offset is UTC', () => {
  const noon = Date.UTC(2026, 0, 31, 12);
  const cases: readonly [text: string, ms: number][] = [
    ['2026-01-31T12:00:00.000', noon],
    ['2026-01-31T12:00:00', noon],
    ['2026-01-31 12:00', noon],
    ['2026-01-31T12:00:00Z', noon],
    ['2026-01-31T12:00:00.250z', noon + 250],
    ['2026-01-31T13:00:00+01:00', noon],
    ['2026-01-31T13:00:00.000+0100', noon],
    ['2026-01-31T07:00:00-05:00', noon],
    ['2026-01-31', Date.UTC(2026, 0, 31)],
    ['1769860800000', 1_769_860_800_000],
    ['0', 0],
  ];
  for (const [text, ms] of cases) assert.deepEqual(dateTime().parse(text), { value: ms }, text);
  assert.equal(dateTime().print(noon), '2026-01-31T12:00:00.000Z');
});

test('what is not a valid time is rejected', () => {
  for (const text of [
    '',
    'noon',
    '2026-13-01',
    '2026-01-31T25:00',
    '26-01-31',
    '-1',
    '1e12',
    '9999999999999999',
  ])
    assert.ok('problem' in dateTime().parse(text), text);
});

test('a duration is written with units or in ISO 8601', () => {
  const cases: readonly [text: string, ms: number][] = [
    ['90m', 5_400_000],
    ['1h30m', 5_400_000],
    ['PT1H30M', 5_400_000],
    ['pt0.5s', 500],
    ['P7D', 7 * 86_400_000],
    ['P1DT1S', 86_401_000],
  ];
  for (const [text, ms] of cases) assert.deepEqual(timeSpan().parse(text), { value: ms }, text);
  for (const text of ['', 'P', 'PT', 'P1Y', 'P1DT', '5', 'PT1H1H', '-1h'])
    assert.ok('problem' in timeSpan().parse(text), text);
});
