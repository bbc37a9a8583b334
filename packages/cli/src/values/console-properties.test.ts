import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLineProperties, readPrintProperties } from './console-properties.ts';
import { property } from './property.ts';

test('properties have defaults, and the last one of a name counts', () => {
  const lines = readLineProperties([
    { name: 'parse.key', value: 'TRUE' },
    { name: 'key.separator', value: ',' },
    { name: 'key.separator', value: ' ' },
  ]);
  assert.ok('value' in lines);
  assert.deepEqual([lines.value['parse.key'], lines.value['key.separator']], [true, ' ']);
  const printed = readPrintProperties([]);
  assert.ok('value' in printed);
  assert.deepEqual([printed.value['print.value'], printed.value['print.key']], [true, false]);
});

test('unknown and invalid properties are refused', () => {
  const refused: readonly [text: string, problem: string][] = [
    ['parse.keys=true', 'unknown property; did you mean parse.key?'],
    ['parse.key=yes', 'parse.key is true or false'],
    ['key.separator=', 'key.separator is empty'],
  ];
  for (const [text, problem] of refused) {
    const parsed = property().parse(text);
    assert.ok('value' in parsed);
    assert.deepEqual(readLineProperties([parsed.value]), { problem });
  }
  const unknown = readPrintProperties([{ name: 'toString', value: 'true' }]);
  assert.match(
    'problem' in unknown ? unknown.problem : '',
    /^unknown property; the properties are print\.timestamp, /,
  );
  for (const text of ['', 'a', '=b', 'a b=c']) assert.ok('problem' in property().parse(text), text);
});
