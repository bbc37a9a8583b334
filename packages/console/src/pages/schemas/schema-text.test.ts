import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineAndColumn, placeOfPath, placeOfSyntaxError, readableSchema } from './schema-text.ts';

const order = readableSchema(
  'AVRO',
  '{"type":"record","name":"Order","fields":[{"name":"id","type":"long"},{"name":"paid","type":["null","boolean"]}]}',
);

test('a path leads to a place of the text', () => {
  for (const [path, found] of [
    ['/fields/1/name', '"name": "paid"'],
    ['/fields/1/type/1', '"boolean"'],
    ['#/name', '"name": "Order"'],
    ['/fields/0', '{\n      "name": "id",\n      "type": "long"\n    }'],
    // The nearest part that exists.
    ['/name/missing', '"name": "Order"'],
    ['/fields/1/type/7', '"type": [\n        "null",\n        "boolean"\n      ]'],
  ] as const) {
    const place = placeOfPath(order, path)!;
    assert.equal(order.slice(place.from, place.to), found, path);
  }
  assert.equal(placeOfPath(order, ''), undefined);
  assert.equal(placeOfPath('', '/a'), undefined);
  assert.equal(placeOfPath('{"a/b": {"~": 1}}', '/a~1b/~0')!.from, 9);
});

test('a place has a line and a column', () => {
  assert.equal(lineAndColumn('a\nbc\nd', 3), '2:2');
  assert.equal(lineAndColumn('', 0), '1:1');
});

test('the first place that is not JSON', () => {
  assert.equal(placeOfSyntaxError(order), undefined);
  assert.equal(placeOfSyntaxError('{"a": }')!.from, 6);
});

test('schemas that are no JSON stay as they are', () => {
  assert.equal(readableSchema('AVRO', '{"a":'), '{"a":');
  assert.equal(readableSchema('PROTOBUF', 'syntax = "proto3";'), 'syntax = "proto3";');
  assert.equal(readableSchema('JSON', '{"a":1}'), '{\n  "a": 1\n}');
});
