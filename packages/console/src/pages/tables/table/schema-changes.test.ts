import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaChanges } from './schema-changes.ts';

const field = (id: number, name: string, type = 'string', required = false) => ({ id, name, type, required });

test('what a schema changes about the one before it', () => {
  const first = [field(1, 'id', 'int', true), field(2, 'name'), field(3, 'old')];
  const cases: readonly (readonly [string, readonly ReturnType<typeof field>[], readonly string[]])[] = [
    ['nothing', first, []],
    ['an addition', [...first, field(4, 'total', 'double')], ['added total double was added.']],
    ['a removal', first.slice(0, 2), ['removed old was removed.']],
    ['another order', first.toReversed(), []],
    [
      'a wider type that is optional',
      [field(1, 'id', 'long'), ...first.slice(1)],
      ['changed id changed from int to long.', 'changed id is optional now.'],
    ],
    [
      'the same name with another id',
      [first[0]!, field(5, 'name'), first[2]!],
      ['added name string was added.', 'removed name was removed.'],
    ],
    [
      'another name',
      [first[0]!, field(2, 'full_name'), first[2]!],
      ['changed name was renamed to full_name.'],
    ],
  ];
  for (const [what, after, wanted] of cases)
    assert.deepEqual(
      schemaChanges(first, after).map(({ kind, text }) => `${kind} ${text}`),
      wanted,
      what,
    );
  assert.deepEqual(schemaChanges(undefined, first), []);
});
