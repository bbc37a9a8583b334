import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { comparisonsPage, comparisonsWith } from '../../bench/compare/comparisons.ts';
import { readResults } from '../../bench/compare/results-file.ts';
import { root } from './repository.ts';

const results = readResults(join(root, 'bench/results/kafka.json'))!;

test('each number that is compared is one of the benchmarks: npm run bench:kafka -- --page', () => {
  const { before, after } = comparisonsPage(root, results);
  assert.equal(before, after);
  const tables = after.match(/<!-- measured: \w+ -->[\s\S]*?<!-- end of/g) ?? [];
  assert.equal(tables.length, 2);
  for (const table of tables) assert.doesNotMatch(table, /not measured|NaN|undefined/);
  // No number stands outside of them, so that none is of another day.
  const rest = after.replaceAll(/<!-- measured: [\s\S]*?<!-- end of/g, '');
  assert.doesNotMatch(rest, /\| [\d.,]+ (?:ms|MiB|MB\/s|s) \|/);
});

test('a page without marks is refused', () => {
  assert.throws(() => comparisonsWith('no marks', results, results), /has no marks/);
});
