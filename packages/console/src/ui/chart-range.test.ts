import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartRanges, rangeSearch, secondsOf, wordsOf } from './chart-range.ts';

test('ranges of charts stand in the URL unless they are the usual one', () => {
  assert.deepEqual(
    ['6h', '24h', '1h', '9h', 6, undefined].map((range) => rangeSearch({ range }).range),
    ['6h', '24h', undefined, undefined, undefined, undefined],
  );
  assert.deepEqual(
    chartRanges.map(({ name, title }) => [title, secondsOf(name) / 3_600, wordsOf(name)]),
    [
      ['1 h', 1, 'last hour'],
      ['6 h', 6, 'last 6 hours'],
      ['24 h', 24, 'last day'],
    ],
  );
});
