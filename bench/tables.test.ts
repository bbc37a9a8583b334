import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageWith, type TableResults } from './tables/page.ts';
import type { TableRow } from './tables/rows.ts';

const row = (weir: readonly number[]): TableRow => ({
  name: 'throughput',
  what: 'from topic to table',
  unit: 'MiB',
  bar: { atLeast: 40 },
  weir,
});

const results = (...rows: TableRow[]): TableResults => ({
  format: 1,
  machine: 'two cores',
  commit: 'abc',
  date: '2026-11-18',
  isQuick: true,
  rows,
  parts: [
    { part: 'decode', percent: 41.7 },
    { part: 'other', percent: 0.3 },
  ],
});

test('results of tables get a section of the page, and replace those before', () => {
  const first = pageWith('# Page\n\nText.\n', results(row([30, 39, 50])));
  assert.match(first, /^# Page\n\nText\.\n\n## Tables\n/);
  assert.match(first, /from topic to table \| at least 40 \| 39 MiB \(30–50\) \| MISSED/);
  assert.match(first, /\nCPU time of the first row: decode 42 %\.\n/);
  assert.match(first, /- \*\*from topic to table\.\*\* .*Next: /s, 'why the bar is missed');
  const second = pageWith(`${first}\nMore.\n`, results(row([41])));
  assert.match(second, /\| 41 MiB +\| met/);
  assert.doesNotMatch(second, /MISSED|Next:|39 MiB/);
  assert.match(second, /\n\nMore\.\n$/);
  assert.equal(second.match(/## Tables/g)?.length, 1);
});
