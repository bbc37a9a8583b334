import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnText, columnTitle } from './column-text.ts';

test('a column has the value of its field, or a dash', () => {
  const event = { type: 'acl_logs', data: { user: 'ann', tags: { a: 1 }, empty: '', none: null } };
  const cases: readonly (readonly [field: string, text: string])[] = [
    ['type', 'acl_logs'],
    ['data.user', 'ann'],
    ['data.tags', '{"a":1}'],
    ['data.tags.a', '1'],
    ['data.empty', '–'],
    ['data.none', 'null'],
    ['data.other', '–'],
    ['data.user.length', '–'],
    ['constructor', '–'],
  ];
  for (const [field, text] of cases) assert.equal(columnText(event, field), text, field);
  assert.equal(columnTitle('data.client_address'), 'client address');
});
