import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosenRecord, readInputOf, readMessagesSearch } from './messages-search.ts';

test('a URL stands for one read, whatever is in it', () => {
  const cases: [given: Record<string, unknown>, input: object][] = [
    [{}, { start: 'newest', partitions: [], limit: 50 }],
    [
      { partition: 2, offset: 42 },
      { start: 'offset', partitions: [2], offset: 42, limit: 50 },
    ],
    [
      { start: 'oldest', limit: 9_999 },
      { start: 'oldest', partitions: [], limit: 500 },
    ],
    [
      { start: 'sideways', partition: -1, limit: 'many' },
      { start: 'newest', partitions: [], limit: 50 },
    ],
    [
      { start: 'time', time: '2026-01-31T12:00:00Z' },
      { start: 'time', partitions: [], time: '2026-01-31T12:00:00.000Z', limit: 50 },
    ],
    [
      { start: 'time', time: 'soon' },
      { start: 'time', partitions: [], time: '1970-01-01T00:00:00.000Z', limit: 50 },
    ],
    [
      { cursor: 'abc', partition: 1, contains: 7 },
      { cursor: 'abc', limit: 50, contains: '7', ignore_case: true },
    ],
    [
      { contains: 'x', case: true, keyAs: 'auto', valueAs: 'hex' },
      { start: 'newest', partitions: [], limit: 50, contains: 'x', value_format: 'base64' },
    ],
  ];
  for (const [given, input] of cases) assert.deepEqual(readInputOf(readMessagesSearch(given)), input);
});

test('a link to a record opens it, and a list does not', () => {
  assert.equal(chosenRecord({ partition: 2, offset: 42 }), '2:42');
  assert.equal(chosenRecord({ partition: 2, offset: 42, start: 'offset' }), undefined);
  assert.equal(chosenRecord({ partition: 2, offset: 42, record: '2:43' }), '2:43');
  assert.equal(readMessagesSearch({ record: '<script>' }).record, undefined);
});
