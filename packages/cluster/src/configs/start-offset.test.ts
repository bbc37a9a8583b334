import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOffset } from './start-offset.ts';

test('a group begins at an end of the log, or by the age of records', () => {
  const cases: readonly [text: string, ageMsMax: number | undefined][] = [
    ['by_duration:PT1H', 3_600_000],
    ['BY_DURATION:p1dt2h3m4s', 93_784_000],
    ['by_duration:PT0S', 0],
    ['by_duration:PT1.5S', 1_500],
    ['by_duration:PT90M', 5_400_000],
    ['by_duration:P2D', 172_800_000],
    ['by_duration:', undefined],
    ['by_duration:P', undefined],
    ['by_duration:PT', undefined],
    ['by_duration:P1DT', undefined],
    ['by_duration:PT-1H', undefined],
    ['by_duration:-PT1H', undefined],
    ['by_duration:P1Y', undefined],
    ['by_duration:1h', undefined],
    ['by_duration:PT99999999999999999H', undefined],
    ['PT1H', undefined],
    ['none', undefined],
    ['', undefined],
  ];
  for (const [text, ageMsMax] of cases)
    assert.deepEqual(startOffset.parse(text), ageMsMax === undefined ? undefined : { ageMsMax }, text);
  assert.equal(startOffset.parse(' Earliest '), 'earliest');
  assert.equal(startOffset.parse('latest'), 'latest');
});
