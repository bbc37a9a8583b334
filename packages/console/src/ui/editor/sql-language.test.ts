import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sqlCompletions, sqlName } from './sql-language.ts';

const names = { tables: ['shop__orders', 'shop__page-views'], columns: ['id', 'Total'] };

test('names are quoted where SQL would read them as something else', () => {
  const cases = [
    ['shop__orders', 'shop__orders'],
    ['page-views', '"page-views"'],
    ['Total', '"Total"'],
    ['order', '"order"'],
    ['a"b', '"a""b"'],
    ['1st', '"1st"'],
  ] as const;
  for (const [name, quoted] of cases) assert.equal(sqlName(name), quoted);
});

test('tables come after from, and all names elsewhere', () => {
  const labels = (before: string) => sqlCompletions(before, names).options.map(({ label }) => label);
  assert.deepEqual(labels('SELECT * FROM sh'), ['shop__orders', '"shop__page-views"']);
  assert.deepEqual(labels('select 1 from a join '), ['shop__orders', '"shop__page-views"']);
  const all = labels('SELECT i');
  for (const label of ['id', '"Total"', 'shop__orders', 'FROM', 'LIMIT'])
    assert.ok(all.includes(label), label);
  assert.equal(sqlCompletions('SELECT i', names).from, 7);
});
