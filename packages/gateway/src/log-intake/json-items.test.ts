import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpProblem } from '@weir/http';
import fc from 'fast-check';
import { jsonItems } from './json-items.ts';
import { pausePoint } from './log-line.ts';

/** Stands for an item with too many values. */
const tooMany = Symbol('too many values');
const bounds = { depthMax: 20, valuesMax: 1_000 };

/** The values of a body as an intake reads them; undefined if it is no JSON. */
function valuesIn(text: string): unknown[] | undefined {
  try {
    const values: unknown[] = [];
    for (const found of jsonItems(text, bounds))
      if (found !== pausePoint) values.push(found.item === undefined ? tooMany : JSON.parse(found.item));
    return values;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof HttpProblem && error.status === 400))
      return undefined;
    throw error;
  }
}

function expected(text: string): unknown[] | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return Array.isArray(value) ? value : [value];
  } catch {
    return undefined;
  }
}

test('items of a list are those of the whole list, and broken texts are refused', () => {
  // biome-ignore format: a table
  const texts = ['[]', '[ ]', '[1]', '[1,2]', ' [{"a":"],["}, [2, 3]] ', '{"a":[1,2]}', '"x"', '7', '[1', '[1,]', '[,1]',
    '[1}', '[1]]', '[1] 2', '[1][2]', '[1],[2,3]', '{', '[{]', '["\\"]', '["\\",1]', '[[]]', ']', '}', '[}', ','];
  for (const text of texts) assert.deepEqual(valuesIn(text), expected(text), text);
  assert.deepEqual(valuesIn('  '), []);
});

test('any JSON, also when one character of it is changed, is read as a parser reads it', () => {
  const json = fc
    .json({ maxDepth: 4 })
    .chain((text) =>
      fc
        .tuple(fc.nat(text.length), fc.constantFrom('', ',', '[', ']', '{', '}', '"', '\\', ' ', '1'))
        .map(([at, added]) => text.slice(0, at) + added + text.slice(at)),
    );
  fc.assert(
    fc.property(json, (text) => {
      if (text.trim() !== '') assert.deepEqual(valuesIn(text), expected(text));
    }),
    { numRuns: 500 },
  );
});

test('depth and values are bounded', () => {
  assert.throws(() => valuesIn('['.repeat(21)), { status: 413 });
  assert.deepEqual(valuesIn(`[[${'1,'.repeat(1_001)}1],7]`), [tooMany, 7]);
  assert.deepEqual(valuesIn(`{"a":[${'1,'.repeat(1_001)}1]}`), [tooMany]);
  assert.equal(valuesIn(`[${'1,'.repeat(5_000)}1]`)?.length, 5_001);
});
