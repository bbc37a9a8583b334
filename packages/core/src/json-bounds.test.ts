import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenBound, JsonScan } from './json-bounds.ts';

const bounds = { depthMax: 3, valuesMax: 8 };

test('depth and number of values are checked before a text is parsed', () => {
  const cases: [text: string, broken: 'depthMax' | 'valuesMax' | undefined][] = [
    ['', undefined],
    ['7', undefined],
    ['[[[]]]', undefined],
    ['[[[[', 'depthMax'],
    ['{"a":{"b":{"c":{', 'depthMax'],
    ['[1,2,3,4,5,6,7]', undefined],
    ['[1,2,3,4,5,6,7,8]', 'valuesMax'],
    [',,,,,,,,', 'valuesMax'],
    ['[[],[],[],[]', 'valuesMax'],
    // The contents of a string are one value.
    ['"[[[[[[,,,,,,,,,,"', undefined],
    ['["\\"[[[[[[", 1]', undefined],
    ['["\\\\", [[[', 'depthMax'],
    ['"[[[[[', undefined],
    ['"\\\\\\"[[[[", [[[[', 'depthMax'],
    ['"\\\\\\"[[[[, [[[[', undefined],
    ['"\\', undefined],
    ['["", "", [[[', 'depthMax'],
    [']]]]]]]]', undefined],
  ];
  for (const [text, broken] of cases) {
    assert.equal(brokenBound(text, bounds), broken, text);
    for (const steps of [1, 2, 20]) {
      const scan = new JsonScan(text, bounds);
      while (!scan.advance(steps));
      assert.equal(scan.broken, broken, `${text} in parts of ${steps}`);
    }
  }
});

test('a part of a scan is as long as it is told to be, also within strings', () => {
  for (const [text, partsMin] of [
    [' '.repeat(1_000), 10],
    [`"${'\\"'.repeat(1_000)}"`, 100],
  ] as const) {
    const scan = new JsonScan(text, bounds);
    let parts = 1;
    while (!scan.advance(100)) parts++;
    assert.ok(parts >= partsMin, `${parts} parts`);
    assert.equal(scan.broken, undefined);
  }
});

test('the scan stops where it exceeds the bound', () => {
  let read = 0;
  const text = {
    length: 1_000_000,
    charCodeAt() {
      read++;
      return '['.charCodeAt(0);
    },
    indexOf: () => -1,
  };
  assert.equal(brokenBound(text, bounds), 'depthMax');
  assert.equal(read, bounds.depthMax + 1);
});
