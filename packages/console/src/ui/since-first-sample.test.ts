import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sinceFirstSample } from './since-first-sample.ts';

const minutes = (count: number) => Array.from({ length: count }, (_, at) => at * 60_000);
const gaps = (count: number) => Array.from({ length: count }, () => null);

const cases = [
  { what: 'a full hour stays', times: 60, values: [Array(60).fill(1)], kept: 60 },
  { what: 'ten minutes of an hour', times: 60, values: [[...gaps(50), ...Array(10).fill(1)]], kept: 10 },
  {
    what: 'the earliest series decides',
    times: 60,
    values: [gaps(60), [...gaps(40), ...Array(20).fill(0)]],
    kept: 20,
  },
  { what: 'two samples have room before them', times: 60, values: [[...gaps(58), 1, 2]], kept: 6 },
  { what: 'less than five minutes in all', times: 3, values: [[null, 1, 2]], kept: 3 },
  { what: 'no sample', times: 60, values: [gaps(60)], kept: 0 },
  { what: 'no series', times: 60, values: [], kept: 0 },
  { what: 'no time', times: 0, values: [[]], kept: 0 },
];

for (const { what, times, values, kept } of cases) {
  test(what, () => {
    const timesMs = minutes(times);
    const series = values.map((values, at) => ({ label: `series ${at}`, values }));
    const shown = sinceFirstSample(timesMs, series);
    assert.deepEqual(shown.timesMs, kept === 0 ? [] : timesMs.slice(-kept));
    assert.deepEqual(
      shown.series,
      kept === 0 ? [] : series.map((one) => ({ ...one, values: one.values.slice(-kept) })),
    );
  });
}
