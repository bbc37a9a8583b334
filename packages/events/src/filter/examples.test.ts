import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { matches } from '../../testing/evaluate.ts';
import { builderOperators, filterToBuilder } from './builder.ts';
import { compileFilter } from './compile.ts';
import { exampleSections } from './examples.ts';
import { parseFilter } from './parse.ts';
import { printFilter } from './print.ts';
import { eventFiltersPage } from './reference-page.ts';
import { casts, conditionsOf } from './tree.ts';

for (const { title, rows } of exampleSections) {
  test(`the examples of the page are right: ${title}`, () => {
    for (const [text, data, passes] of rows) {
      const { filter, problems } = parseFilter(text);
      assert.equal(problems, undefined, text);
      const event = { type: 'acl_logs', data };
      const shown = `${text} over ${JSON.stringify(data)}`;
      assert.equal(matches(filter!, event), passes, shown);
      assert.equal(compileFilter(filter!)(event), passes, shown);
      assert.deepEqual(parseFilter(printFilter(filter!)), { filter });
    }
  });
}

test('every operator has an example that passes and one that fails, and every cast has one', () => {
  const seen = new Set<string>();
  for (const [text, , passes] of exampleSections.flatMap(({ rows }) => rows)) {
    for (const condition of conditionsOf(parseFilter(text).filter!)) {
      const { rows } = filterToBuilder({ stages: [condition] }).builder;
      const [row] = rows;
      if (row !== undefined && 'operator' in row) seen.add(`${row.operator} ${passes}`);
      seen.add(`::${condition.field.cast}`);
    }
  }
  const wanted = [
    ...builderOperators.flatMap((operator) => [`${operator} true`, `${operator} false`]),
    ...casts.map((cast) => `::${cast}`),
  ];
  assert.deepEqual(
    wanted.filter((name) => !seen.has(name)),
    [],
  );
});

test('the page on disk matches the examples', () => {
  const url = new URL('../../../../docs/reference/event-filters.md', import.meta.url);
  assert.ok(
    readFileSync(url, 'utf8') === eventFiltersPage(),
    'docs/reference/event-filters.md is out of date; run npm run docs',
  );
});
