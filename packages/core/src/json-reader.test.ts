import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonReader } from './json-reader.ts';

const bounds = { depthMax: 100, valuesMax: 1_000_000 };

/** Reads a text in parts of so many steps: its value, or that it is no JSON. */
function read(text: string, steps: number): { readonly value: unknown } | 'invalid' {
  const reader = new JsonReader(text, { bounds });
  try {
    while (!reader.advance(steps));
    return { value: reader.value };
  } catch (error) {
    assert.ok(error instanceof SyntaxError, String(error));
    return 'invalid';
  }
}

function parse(text: string): { readonly value: unknown } | 'invalid' {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'invalid';
  }
}

const invalid = [
  '',
  ' ',
  '[1,2',
  '[1,]',
  '[,1]',
  '[1,,2]',
  '[[1],]',
  '[[1],,[2]]',
  '[[1] [2]]',
  '[[1]2]',
  '[1[2]]',
  '{"a":1[2]}',
  '{"a":[1]"b":2}',
  '{"a":[1],}',
  '{"a" [1]}',
  '{[1]}',
  '{"a":[1]]',
  '[{"a":1]]',
  '[[1}]',
  '[1]]',
  '[1],[2]',
  '[1] 2',
  '1,2',
  '[{"a":{"b":[1,2,{"c":1}]}},',
  '["a',
  '[\u00a0[1]]',
];
const valid = [
  ' [ ] ',
  '{}',
  '[[],{},[[]]]',
  '{"a":{},"b":[ ],"a":[[1,2],3]}',
  '{"__proto__":[1,{"__proto__":2}],"x":1}',
  '["\\"[[{,","\\\\",["\\u0041"]]',
  '-1.5e3',
  '"\\\\"',
  '{"10":[1],"2":[2],"a":3}',
];

test('whatever the parts, the result is that of JSON.parse', () => {
  for (const text of [...valid, ...invalid])
    for (let steps = 1; steps < 40; steps++)
      assert.deepEqual(read(text, steps), parse(text), `${text} in parts of ${steps}`);
  for (const text of invalid) assert.equal(parse(text), 'invalid', text);
});

test('of any value, and of any damaged text', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.integer({ min: 1, max: 60 }), (text, steps) => {
      assert.deepEqual(read(text, steps), parse(text));
    }),
    { numRuns: 500 },
  );
  const character = fc.constantFrom('[', ']', '{', '}', ',', ':', '"', '\\', '1', ' ', 'a');
  const damaged = fc.tuple(fc.json({ maxDepth: 5 }), fc.nat(), fc.nat({ max: 2 }), character);
  fc.assert(
    fc.property(damaged, fc.integer({ min: 1, max: 40 }), ([json, place, removed, added], steps) => {
      const at = place % (json.length + 1);
      const text = `${json.slice(0, at)}${added}${json.slice(at + removed)}`;
      assert.deepEqual(read(text, steps), parse(text), text);
    }),
    { numRuns: 3000 },
  );
});

test('a name that a list of members has twice has its last value', () => {
  assert.deepEqual(read('{"a":[1],"b":2,"a":3}', 3), { value: { a: 3, b: 2 } });
});

test('the parser of the runtime gets small texts only, whatever is inside of what', () => {
  const distinct = (count: number, of: string) =>
    Array.from({ length: count }, (_, index) => `"${of}${index}":${index}`).join(',');
  const texts = {
    'one object with many names': `{${distinct(20_000, 'n')}}`,
    'many objects': `[${Array.from({ length: 1_000 }, (_, index) => `{${distinct(20, `n${index}_`)}}`).join(',')}]`,
    'deep below other objects': `${'{"a":['.repeat(20)}${`{${distinct(20_000, 'n')}}`}${']}'.repeat(20)}`,
    'between small values': `[1,{"x":{${distinct(20_000, 'n')}},"y":2},3]`,
  };
  for (const [label, text] of Object.entries(texts)) {
    let longest = 0;
    const reader = new JsonReader(text, {
      bounds,
      parse: (part) => {
        longest = Math.max(longest, part.length);
        return JSON.parse(part);
      },
    });
    let parts = 1;
    while (!reader.advance(1_000)) parts++;
    assert.deepEqual(reader.value, JSON.parse(text), label);
    assert.ok(parts > 100, `${label}: ${parts} parts`);
    assert.ok(longest < 2_000, `${label}: a part of ${longest} characters`);
  }
});

test('long strings count for little, white space and escaped quotes do not', () => {
  const partsOf = (text: string) => {
    const reader = new JsonReader(text, { bounds });
    let parts = 1;
    while (!reader.advance(10_000)) parts++;
    return parts;
  };
  assert.ok(partsOf(JSON.stringify(['x'.repeat(100_000)])) === 1);
  assert.ok(partsOf(`[${' '.repeat(100_000)}]`) >= 10);
  assert.ok(partsOf(`["${'\\"'.repeat(100_000)}"]`) >= 100);
});

test('bounds are those of the whole text', () => {
  for (const steps of [1, 7, Number.POSITIVE_INFINITY]) {
    const brokenBy = (text: string) => {
      const reader = new JsonReader(text, { bounds: { depthMax: 3, valuesMax: 8 } });
      while (!reader.advance(steps));
      return reader.broken;
    };
    assert.equal(brokenBy('[[[1]]]'), undefined);
    assert.equal(brokenBy('[[[[1]]]]'), 'depthMax');
    assert.equal(brokenBy('[1,2,3,4,5,6,7]'), undefined);
    assert.equal(brokenBy('[1,2,3,4,5,6,7,8]'), 'valuesMax');
  }
});

test('the names of each object are counted, whatever the parts', () => {
  const names = (count: number) =>
    Array.from({ length: count }, (_, index) => `"${index}":[1,2,3,4,5]`).join();
  for (const steps of [1, 7, 50, Number.POSITIVE_INFINITY]) {
    const brokenBy = (text: string) => {
      const reader = new JsonReader(text, { bounds: { ...bounds, namesMax: 4 } });
      while (!reader.advance(steps));
      return reader.broken;
    };
    assert.equal(brokenBy(`[{${names(4)}},{${names(4)}},1,2,3]`), undefined);
    assert.equal(brokenBy(`[{${names(4)}},{${names(5)}}]`), 'namesMax');
    assert.equal(brokenBy(`{"a":{${names(4)}},"b":{${names(1)},"c":{${names(5)}}}}`), 'namesMax');
    assert.equal(brokenBy('{"a":1,"a":1,"a":1,"a":1,"a":1}'), 'namesMax');
  }
});
