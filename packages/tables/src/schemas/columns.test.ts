import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Type, typeText } from '@weir/iceberg';
import { avroColumns, parseAvroSchema } from './avro-columns.ts';
import { type Column, tableColumns, UnusableSchema } from './columns.ts';
import { jsonColumns } from './json-columns.ts';
import { listedColumns } from './listed-columns.ts';
import { messageNamed, parseProtobufSchema, protobufColumns } from './protobuf-columns.ts';

/** A type without ids, which only distinguish columns. */
function typeWords(type: Type): string {
  return typeText(type).replaceAll(/\d+: /g, '');
}

function columnWords(columns: readonly Column[]): string[] {
  return columns.map(({ name, isRequired, type }) => `${name}${isRequired ? '!' : ''} ${typeWords(type)}`);
}

const json = (properties: object, more: object = {}) =>
  columnWords(jsonColumns(JSON.stringify({ type: 'object', properties, ...more })).columns);
const avro = (type: unknown) =>
  columnWords(
    avroColumns(
      parseAvroSchema({
        text: JSON.stringify({ type: 'record', name: 'R', fields: [{ name: 'c', type }] }),
        references: [],
      }),
    ).columns,
  ).join();
const protobuf = (text: string, message?: string) => {
  const schema = parseProtobufSchema({ text: `syntax = "proto3";\n${text}`, references: [] });
  return columnWords(protobufColumns(messageNamed(schema, message)).columns);
};

// biome-ignore format: a table
const jsonTypes: readonly [schema: object, column: string][] = [
  [{ type: 'string' },                                          'c string'],
  [{ type: 'string', format: 'date-time' },                     'c timestamptz'],
  [{ type: 'string', format: 'local-date-time' },               'c timestamp'],
  [{ type: 'string', format: 'date' },                          'c date'],
  [{ type: 'string', format: 'time' },                          'c time'],
  [{ type: 'string', format: 'uuid' },                          'c uuid'],
  [{ type: 'string', format: 'email' },                         'c string'],
  [{ type: 'string', contentEncoding: 'base64' },               'c binary'],
  [{ type: 'string', format: 'decimal(9,2)' },                  'c decimal(9, 2)'],
  [{ type: 'integer' },                                         'c long'],
  [{ type: 'integer', format: 'int32' },                        'c int'],
  [{ type: 'integer', format: 'timestamp-micros' },             'c timestamptz'],
  [{ type: 'long' },                                            'c long'],
  [{ type: 'number' },                                          'c double'],
  [{ type: 'number', format: 'float' },                         'c float'],
  [{ type: 'number', format: 'decimal(38, 10)' },               'c decimal(38, 10)'],
  [{ type: 'double' },                                          'c double'],
  [{ type: 'float' },                                           'c float'],
  [{ type: 'boolean' },                                         'c boolean'],
  [{ type: ['integer', 'null'] },                               'c long'],
  [{ enum: ['a', 'b'] },                                        'c string'],
  [{ anyOf: [{ type: 'null' }, { type: 'boolean' }] },          'c boolean'],
  [{ type: 'array', items: { type: ['string', 'null'] } },      'c list<optional string>'],
  [{ type: 'array', items: { type: 'long' } },                  'c list<required long>'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'c map<string, required double>'],
  [{ properties: { a: { type: 'string' }, b: { type: 'long' } }, required: ['b'] }, 'c struct<a: optional string, b: required long>'],
];
for (const [schema, column] of jsonTypes)
  test(`JSON Schema ${JSON.stringify(schema)} is ${column}`, () =>
    assert.deepEqual(json({ c: schema }), [column]));

test('required properties are required columns, unless they may be null', () => {
  const properties = { a: { type: 'string' }, b: { type: ['string', 'null'] }, c: { type: 'string' } };
  assert.deepEqual(json(properties, { required: ['a', 'b'] }), ['a! string', 'b string', 'c string']);
});

test('references within the schema are followed', () => {
  const $defs = { money: { type: 'number', format: 'decimal(9,2)' }, price: { $ref: '#/$defs/money' } };
  assert.deepEqual(json({ a: { $ref: '#/$defs/price' }, b: { $ref: '#/$defs/money' } }, { $defs }), [
    'a decimal(9, 2)',
    'b decimal(9, 2)',
  ]);
});

const chain = Object.fromEntries(
  Array.from({ length: 200 }, (_, n) => [
    `d${n}`,
    n === 199 ? { type: 'string' } : { $ref: `#/$defs/d${n + 1}` },
  ]),
);
const doubling = Object.fromEntries(
  Array.from({ length: 30 }, (_, n) => [
    `d${n}`,
    n === 29
      ? { type: 'string' }
      : { properties: { a: { $ref: `#/$defs/d${n + 1}` }, b: { $ref: `#/$defs/d${n + 1}` } } },
  ]),
);
let deep: object = { type: 'string' };
for (let level = 0; level < 100; level++) deep = { type: 'array', items: deep };

// biome-ignore format: a table
const jsonProblems: readonly [what: string, schema: unknown, problem: RegExp][] = [
  ['text',                { type: 'string' },                                           /^is not the schema of an object with properties/],
  ['list',                [],                                                           /^is not a schema; it has to be an object$/],
  ['types',               { properties: { a: { type: ['string', 'integer'] } } },       /^a: has the types string, integer; a column has one, and null$/],
  ['null',                { properties: { a: { type: 'null' } } },                      /^a: has only the type null$/],
  ['no type',             { properties: { a: {} } },                                    /^a: has no type$/],
  ['unknown type',        { properties: { a: { type: 'text' } } },                      /^a: has the type "text"; the types are string/],
  ['array',               { properties: { a: { type: 'array' } } },                     /^a: is an array without items/],
  ['object',              { properties: { a: { type: 'object' } } },                    /^a: is an object without properties; give properties, or additionalProperties/],
  ['oneOf',               { properties: { a: { oneOf: [{ type: 'string' }, { type: 'long' }] } } }, /^a: has oneOf of 2 types that are not null; a column has one$/],
  ['elsewhere',           { properties: { a: { $ref: 'http://x/y' } } },                /^a: has a \$ref to another document/],
  ['nowhere',             { properties: { a: { $ref: '#/$defs/a' } } },                 /^a: has a \$ref to #\/\$defs\/a, which does not exist$/],
  ['itself',              { properties: { a: { $ref: '#' } } },                         /^a\.a: contains itself/],
  ['a long chain',        { properties: { a: { $ref: '#/$defs/d0' } }, $defs: chain },  /^a: is behind more than 100 references in a row$/],
  ['a small text of many columns', { properties: { a: { $ref: '#/$defs/d0' } }, $defs: doubling }, /has more than 10000 columns$/],
  ['depth',               { properties: { a: deep } },                                  /is nested deeper than 64 levels$/],
  ['a decimal of 39',     { properties: { a: { type: 'number', format: 'decimal(39,2)' } } }, /^a: has the format decimal\(39,2\); a decimal has one such as decimal\(9, 2\), of at most 38 digits$/],
];
for (const [what, schema, problem] of jsonProblems)
  test(`JSON Schema, ${what}: refused`, () =>
    assert.throws(
      () => jsonColumns(JSON.stringify(schema)),
      (error) => error instanceof UnusableSchema && problem.test(error.message),
    ));

// biome-ignore format: a table
const avroTypes: readonly [type: unknown, column: string][] = [
  ['boolean',                                                          'c! boolean'],
  ['int',                                                              'c! int'],
  ['long',                                                             'c! long'],
  ['float',                                                            'c! float'],
  ['double',                                                           'c! double'],
  ['string',                                                           'c! string'],
  ['bytes',                                                            'c! binary'],
  [['null', 'long'],                                                   'c long'],
  [['long', 'null'],                                                   'c long'],
  [['long'],                                                           'c! long'],
  [{ type: 'fixed', name: 'F', size: 12 },                             'c! binary'],
  [{ type: 'fixed', name: 'F', size: 12, logicalType: 'duration' },    'c! binary'],
  [{ type: 'enum', name: 'E', symbols: ['A'] },                        'c! string'],
  [{ type: 'array', items: ['null', 'int'] },                          'c! list<optional int>'],
  [{ type: 'map', values: 'int' },                                     'c! map<string, required int>'],
  [{ type: 'record', name: 'I', fields: [{ name: 'a', type: 'int' }] }, 'c! struct<a: required int>'],
  [{ type: 'bytes', logicalType: 'decimal', precision: 20, scale: 4 }, 'c! decimal(20, 4)'],
  [{ type: 'fixed', name: 'F', size: 8, logicalType: 'decimal', precision: 9 }, 'c! decimal(9, 0)'],
  [{ type: 'int', logicalType: 'date' },                               'c! date'],
  [{ type: 'int', logicalType: 'time-millis' },                        'c! time'],
  [{ type: 'long', logicalType: 'time-micros' },                       'c! time'],
  [{ type: 'long', logicalType: 'timestamp-millis' },                  'c! timestamptz'],
  [{ type: 'long', logicalType: 'timestamp-micros' },                  'c! timestamptz'],
  [{ type: 'long', logicalType: 'timestamp-nanos' },                   'c! timestamptz'],
  [{ type: 'long', logicalType: 'local-timestamp-millis' },            'c! timestamp'],
  [{ type: 'long', logicalType: 'local-timestamp-micros' },            'c! timestamp'],
  [{ type: 'string', logicalType: 'uuid' },                            'c! uuid'],
  [{ type: 'fixed', name: 'F', size: 16, logicalType: 'uuid' },        'c! uuid'],
  [{ type: 'long', logicalType: 'date' },                              'c! long'],
];
for (const [type, column] of avroTypes)
  test(`Avro ${JSON.stringify(type)} is ${column}`, () => assert.equal(avro(type), column));

// biome-ignore format: a table
const avroProblems: readonly [type: unknown, problem: RegExp][] = [
  ['null',                                                             /^c: has only the type null$/],
  [['null'],                                                           /^c: has only the type null$/],
  [['int', 'string'],                                                  /^c: is a union of 2 types that are not null/],
  [{ type: 'array', items: ['int', 'string'] },                        /^c\.element: is a union of 2 types/],
  [['null', 'R'],                                                      /^c: contains itself by R/],
  [{ type: 'bytes', logicalType: 'decimal', precision: 39 },           /^c: is a decimal of 39 digits; a table has at most 38$/],
  [{ type: 'bytes', logicalType: 'big-decimal' },                      /^c: is a big-decimal/],
  [{ type: 'record', name: 'I', fields: [] },                          /^c: the record I has no fields$/],
];
for (const [type, problem] of avroProblems)
  test(`Avro ${JSON.stringify(type)}: refused`, () =>
    assert.throws(
      () => avro(type),
      (error) => error instanceof UnusableSchema && problem.test(error.message),
    ));

test('a Protobuf message has a column for each field', () => {
  const columns = protobuf(`
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/struct.proto";
message Order {
  int32 a = 1; sint32 b = 2; sfixed32 c = 3; int64 d = 4; sint64 e = 5; sfixed64 f = 6;
  uint32 g = 7; fixed32 h = 8; uint64 i = 9; fixed64 j = 10;
  float k = 11; double l = 12; bool m = 13; string n = 14; bytes o = 15;
  enum Kind { NONE = 0; SOME = 1; }
  Kind kind = 16;
  message Item { string name = 1; uint32 count = 2; }
  Item item = 17;
  repeated Item items = 18;
  map<string, Item> by_name = 19;
  map<uint32, string> by_number = 20;
  oneof choice { string text = 21; int64 number = 22; }
  google.protobuf.Timestamp at = 23;
  google.protobuf.Int64Value wrapped = 24;
  google.protobuf.Struct free = 25;
  repeated uint64 ids = 26;
}`);
  assert.deepEqual(columns, [
    ...['a int', 'b int', 'c int', 'd long', 'e long', 'f long'],
    ...['g decimal(10, 0)', 'h decimal(10, 0)', 'i decimal(20, 0)', 'j decimal(20, 0)'],
    ...['k float', 'l double', 'm boolean', 'n string', 'o binary', 'kind string'],
    'item struct<name: optional string, count: optional decimal(10, 0)>',
    'items list<required struct<name: optional string, count: optional decimal(10, 0)>>',
    'by_name map<string, required struct<name: optional string, count: optional decimal(10, 0)>>',
    'by_number map<decimal(10, 0), required string>',
    ...['text string', 'number long', 'at timestamptz', 'wrapped long', 'free string'],
    'ids list<required decimal(20, 0)>',
  ]);
});

test('a message is the first one, or one that is named with or without its package', () => {
  const text = 'package p; message A { int32 a = 1; } message B { int32 b = 1; message C { int32 c = 1; } }';
  assert.deepEqual(
    [undefined, 'B', 'p.B', 'B.C', 'p.B.C'].map((name) => protobuf(text, name).join()),
    ['a int', 'b int', 'b int', 'c int', 'c int'],
  );
});

// biome-ignore format: a table
const protobufProblems: readonly [text: string, problem: RegExp][] = [
  ['',                                                    /^declares no message$/],
  ['message A {}',                                        /^the message A has no fields$/],
  ['message A { A a = 1; }',                              /^a: contains itself by A/],
  ['message A { repeated B b = 1; } message B { A a = 1; }', /^b\.element\.a: contains itself by A/],
];
for (const [text, problem] of protobufProblems)
  test(`Protobuf ${text}: refused`, () =>
    assert.throws(
      () => protobuf(text),
      (error) => error instanceof UnusableSchema && problem.test(error.message),
    ));

test('columns that are listed', () => {
  assert.deepEqual(
    columnWords(
      listedColumns([
        { name: 'a', type: 'string', id: 7 },
        { name: 'b', type: 'double' },
        { name: 'c', type: 'decimal(9,2)' },
        { name: 'd', type: 'bigint' },
      ]).columns,
    ),
    ['a string', 'b double', 'c decimal(9, 2)', 'd long'],
  );
});

test('a table ends with the columns of its records, which no schema may have', () => {
  const columns = tableColumns(listedColumns([{ name: 'a', type: 'string' }]));
  assert.deepEqual(columnWords(columns.columns), [
    'a string',
    'kafka_partition! int',
    'kafka_offset! long',
    'kafka_timestamp! timestamptz',
  ]);
  assert.throws(
    () => tableColumns(listedColumns([{ name: 'kafka_partition', type: 'int' }])),
    UnusableSchema,
  );
});
