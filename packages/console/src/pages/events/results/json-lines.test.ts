import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { visibleText } from '../../../format/visible-text.ts';
import { jsonLines } from './json-lines.ts';

test('the lines together are the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { lines } = jsonLines(value, { isWhole: true });
      const text = lines
        .map(({ depth, key, text, hasComma }) => {
          const name = key === undefined ? '' : `${key}: `;
          return `${'  '.repeat(depth)}${name}${text}${hasComma ? ',' : ''}`;
        })
        .join('\n');
      const expected = JSON.stringify(value, null, 2).split('\n').map(visibleText).join('\n');
      assert.equal(text, expected);
    }),
  );
});

test('a large event is cut, and shown whole when that is wanted', () => {
  const large = {
    data: { text: 'x'.repeat(1 << 20), list: Array.from({ length: 5_000 }, (_, index) => index) },
  };
  const { lines, isCut } = jsonLines(large, { isWhole: false });
  assert.ok(isCut);
  assert.ok(lines.length <= 400);
  assert.ok(lines.every(({ text }) => text.length < 1_000));
  assert.ok(jsonLines(large, { isWhole: true }).lines.some(({ text }) => text.length > 1 << 20));
});

test('fields have the path that filters name them by; entries of lists have none', () => {
  const { lines } = jsonLines({ data: { a: { b: 1 }, c: [{ d: 2 }] } }, { isWhole: true });
  const paths = lines.flatMap(({ path, key }) =>
    path === undefined || key === undefined ? [] : [path.join('.')],
  );
  assert.deepEqual(paths, ['data', 'data.a', 'data.a.b', 'data.c']);
});
