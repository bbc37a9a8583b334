import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completionsAt } from './filter-language.ts';

const fields = [
  { name: 'type', description: '', values: ['acl_logs'] },
  { name: 'data.operation', description: '', values: ['READ', 'WRITE'] },
];

test('completion offers fields, operators, values and joins where they may stand', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['', ['type', 'data.operation']],
    ['data.op', ['type', 'data.operation']],
    ['(', ['type', 'data.operation']],
    ['type == "x" and ', ['type', 'data.operation']],
    ['type ', ['==', '!=', '<', '>', '<=', '>=', 'like', 'not like', 'in', 'not in']],
    ['data.operation == ', ['"READ"', '"WRITE"']],
    ['data.operation == "RE', ['"READ"', '"WRITE"']],
    ['data.operation in [', ['"READ"', '"WRITE"']],
    ['data.operation in ["READ", ', ['"READ"', '"WRITE"']],
    ['other == ', []],
    ['type == "x" ', ['and', 'or']],
    ['data.a == 12 ', ['and', 'or']],
  ];
  for (const [before, labels] of cases)
    assert.deepEqual(
      completionsAt(before, fields).options.map(({ label }) => label),
      labels,
      before,
    );
});

test('a completion replaces the word or the value that was begun', () => {
  assert.equal(completionsAt('type == "x" and data.op', fields).from, 16);
  assert.equal(completionsAt('data.operation == "RE', fields).from, 18);
});
