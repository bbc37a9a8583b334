import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrationSection } from './migration/page.ts';
import { type RowResults, resultsText } from './row-results.ts';
import { withSection } from './section.ts';

const results = (result: number): RowResults => ({
  format: 1,
  machine: 'two cores',
  commit: 'abc',
  date: '2026-11-19',
  load: [0.5, 3],
  rows: [{ what: 'copy', result, unit: 'MB/s', bar: 'at least 150', isMet: result >= 150, detail: '1 to 2' }],
});

test('results of migrations get a section of the page, and replace those before', () => {
  const first = withSection('# Page\n\nText.\n', migrationSection, resultsText(results(149)));
  assert.match(first, /^# Page\n\nText\.\n\n## Migrations\n/);
  assert.match(first, /Load at the\s+beginning and at the end, this benchmark included: 0\.5 and 3\.0\./);
  assert.match(first, /\| copy +\| at least 150 \| 149 MB\/s \| MISSED \| 1 to 2 \|/);
  const second = withSection(`${first}\nMore.\n`, migrationSection, resultsText(results(151)));
  assert.match(second, /\| 151 MB\/s \| met/);
  assert.doesNotMatch(second, /MISSED/);
  assert.match(second, /\n\nMore\.\n$/);
  assert.equal(second.match(/## Migrations/g)?.length, 1);
});
