import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coreLimits } from '@weir/core';
import { type BuilderGroup, type BuilderRow, builderToFilter, filterToBuilder } from './builder.ts';
import { parseFilter } from './parse.ts';
import { printFilter } from './print.ts';

const created: BuilderRow = { field: 'data.operation', operator: '==', value: 'CREATE' };
const loud: BuilderRow = { field: 'data.log_level', operator: 'in', value: ['warn', 'error'] };
const ported: BuilderRow = { field: 'data.port::int', operator: '>', value: 9000 };
const quiet: BuilderRow = { field: 'data.`odd name`', operator: 'not like', value: '%x%' };

test('rows and groups become text, and text becomes rows and groups', () => {
  const cases: [builder: BuilderGroup, text: string][] = [
    [{ join: 'and', rows: [] }, ''],
    [{ join: 'and', rows: [created] }, 'data.operation == "CREATE"'],
    [
      { join: 'and', rows: [created, loud] },
      'data.operation == "CREATE" and data.log_level in ["warn", "error"]',
    ],
    [{ join: 'or', rows: [created, ported] }, 'data.operation == "CREATE" or data.port::int > 9000'],
    [
      { join: 'and', rows: [created, { join: 'or', rows: [loud, quiet] }] },
      'data.operation == "CREATE" and (data.log_level in ["warn", "error"] or data.`odd name` not like "%x%")',
    ],
  ];
  for (const [builder, text] of cases) {
    const { filter } = builderToFilter(builder);
    assert.equal(printFilter(filter!), text);
    assert.deepEqual(filterToBuilder(parseFilter(text).filter!), { builder, isExact: true });
  }
});

test('a chain becomes rows, and the result is marked as inexact', () => {
  const { filter } = parseFilter('data.operation == "CREATE" | data.port::int > 9000');
  assert.deepEqual(filterToBuilder(filter!), {
    builder: { join: 'and', rows: [created, ported] },
    isExact: false,
  });
});

test('empty groups are removed, and a group of one row becomes the row', () => {
  const empty: BuilderGroup = { join: 'or', rows: [] };
  const builder: BuilderGroup = { join: 'and', rows: [empty, { join: 'or', rows: [created, empty] }] };
  assert.equal(printFilter(builderToFilter(builder).filter!), 'data.operation == "CREATE"');
});

test('a problem names its row', () => {
  const cases: [row: BuilderRow, message: RegExp][] = [
    [{ field: '', operator: '==', value: 1 }, /is not a field/],
    [{ field: 'data.', operator: '==', value: 1 }, /data\. is not a field/],
    [{ field: 'a == 1 and b', operator: '==', value: 1 }, /is not a field/],
    [{ field: 'a != null | b', operator: '==', value: 1 }, /is not a field/],
    [{ field: 'a', operator: '==', value: [1] }, /== takes one value/],
    [{ field: 'a', operator: 'in', value: 1 }, /in takes a list of values/],
    [{ field: 'a', operator: 'in', value: [] }, /the list is empty/],
    [{ field: 'a', operator: 'like', value: 1 }, /like takes a pattern/],
    [{ field: 'a', operator: '<', value: true }, /true has no order/],
    [{ field: 'a::int', operator: '==', value: '5' }, /write the value as a number/],
    [{ field: 'a', operator: '==', value: Number.POSITIVE_INFINITY }, /./],
  ];
  for (const [row, message] of cases) {
    const { problems } = builderToFilter({ join: 'and', rows: [created, { join: 'or', rows: [row, loud] }] });
    assert.equal(problems?.length, 1, row.field);
    assert.deepEqual(problems![0]!.row, [1, 0]);
    assert.match(problems![0]!.message, message);
  }
});

test('a filter that is too large as a whole is refused', () => {
  const wide: BuilderGroup = { join: 'and', rows: Array(coreLimits.filterConditionsMax + 1).fill(created) };
  assert.match(builderToFilter(wide).problems![0]!.message, /256 conditions/);
  let deep: BuilderGroup = { join: 'and', rows: [created, loud] };
  for (let depth = 0; depth < 10_000; depth++) deep = { join: 'or', rows: [created, deep] };
  assert.match(builderToFilter(deep).problems![0]!.message, /nested 32 deep/);
});
