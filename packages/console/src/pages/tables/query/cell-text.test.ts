import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellText } from './cell-text.ts';

test('values of a result as text', () => {
  const cases = [
    ['a "b"', 'a "b"'],
    [1.5, '1.5'],
    [true, 'true'],
    [null, 'null'],
    [{ a: [1, null] }, '{"a":[1,null]}'],
    ['9007199254740993', '9007199254740993'],
  ] as const;
  for (const [value, text] of cases) assert.equal(cellText(value), text);
});
