import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './repository.ts';

const page = (path: string) => readFileSync(join(root, path), 'utf8');

/** Numbers with a unit in the cells of tables of the page. */
function measured(text: string): string[] {
  const cells = text
    .split('\n')
    .filter((line) => /^\| .*\d (?:ms|MiB|MB\/s|s) \|/.test(line))
    .flatMap((line) => line.split('|').slice(2, -1));
  return cells.flatMap((cell) => {
    const unit = / (ms|MiB|MB\/s|s) $/.exec(cell)?.[1];
    return [...cell.matchAll(/\d[\d,.]*/g)].map(([number]) => `${number.replaceAll(',', '')} ${unit}`);
  });
}

/** As the page of benchmarks has it: `62 MiB` is rounded from `61.9 MiB`, and `3.25 s` is `3.25 s/GB`. */
function isMeasured(value: string, benchmarks: readonly string[]): boolean {
  const [number, unit] = value.split(' ') as [string, string];
  const digits = number.split('.')[1]?.length ?? 0;
  return benchmarks.some((found) => {
    const [other, otherUnit] = found.split(' ') as [string, string];
    const isSameUnit = otherUnit === unit || (unit === 's' && otherUnit === 's/GB');
    return isSameUnit && Number(other).toFixed(digits) === number;
  });
}

test('each number that is compared is one of the benchmarks', () => {
  const benchmarks = [
    ...page('docs/reference/benchmarks.md').matchAll(/\d[\d.]* (?:ms|MiB|MB\/s|s\/GB)/g),
  ].map(([found]) => found);
  const values = measured(page('docs/reference/comparisons.md'));
  assert.ok(values.length > 20, `${values.length} numbers`);
  assert.deepEqual(
    values.filter((value) => !isMeasured(value, benchmarks)),
    [],
  );
  assert.equal(isMeasured('62 MiB', ['61.9 MiB']), true);
  assert.equal(isMeasured('63 MiB', ['61.9 MiB', '63 ms']), false);
});
