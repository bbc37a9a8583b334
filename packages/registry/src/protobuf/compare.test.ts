import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SchemaSource } from '../schema-format.ts';
import { differencesOf } from './compare.ts';
import { type DifferenceType, differenceTypes } from './difference.ts';
import { protobufFormat } from './protobuf-format.ts';

const parse = (text: string, references: SchemaSource['references'] = []) =>
  protobufFormat.parse({ text: text.startsWith('syntax') ? text : `syntax = "proto3"; ${text}`, references });

const found = (original: string, update: string) =>
  differencesOf(parse(original).loaded, parse(update).loaded).map(({ type, path }) => `${type} ${path}`);

/** Old text, new text, and all differences. */
const rows: readonly (readonly [string, string, readonly string[]])[] = [
  ['package a; message M {}', 'package b; message M {}', ['PACKAGE_CHANGED #/']],
  ['message M {}', 'message M {} message N {}', ['MESSAGE_ADDED #/N']],
  ['message M {} message N {}', 'message M {}', ['MESSAGE_REMOVED #/N']],
  ['message M { message N {} }', 'message M {}', ['MESSAGE_REMOVED #/M/N']],
  ['message M {} message N {}', 'message N {} message M {}', ['MESSAGE_MOVED #/M', 'MESSAGE_MOVED #/N']],
  ['enum E { A = 0; }', 'enum F { B = 0; }', ['ENUM_REMOVED #/E', 'ENUM_ADDED #/F']],
  [
    'enum E { A = 0; B = 1; C = 2; }',
    'enum E { A = 0; X = 1; D = 3; }',
    ['ENUM_CONST_CHANGED #/E/1', 'ENUM_CONST_REMOVED #/E/2', 'ENUM_CONST_ADDED #/E/3'],
  ],
  ['message M { int32 a = 1; }', 'message M { int32 b = 2; }', ['FIELD_REMOVED #/M/1', 'FIELD_ADDED #/M/2']],
  ['message M { int32 a = 1; }', 'message M { int32 b = 1; }', ['FIELD_NAME_CHANGED #/M/1']],
  [
    'message M { int32 a = 1; }',
    'message M { N a = 1; } message N {}',
    ['FIELD_KIND_CHANGED #/M/1', 'MESSAGE_ADDED #/N'],
  ],
  ['message M { map<string, int32> a = 1; }', 'message M { string a = 1; }', ['FIELD_KIND_CHANGED #/M/1']],
  ['message M { int32 a = 1; }', 'message M { sint32 a = 1; }', ['FIELD_SCALAR_KIND_CHANGED #/M/1']],
  ['message M { int32 a = 1; }', 'message M { E a = 1; } enum E { X = 0; }', ['ENUM_ADDED #/E']],
  [
    'message M { map<string, int32> a = 1; }',
    'message M { map<int32, int32> a = 1; }',
    ['FIELD_SCALAR_KIND_CHANGED #/M/1'],
  ],
  [
    'message M { map<string, int32> a = 1; }',
    'message M { map<string, string> a = 1; }',
    ['FIELD_SCALAR_KIND_CHANGED #/M/1'],
  ],
  [
    'message M { N a = 1; } message N {} message O {}',
    'message M { O a = 1; } message N {} message O {}',
    ['FIELD_NAMED_TYPE_CHANGED #/M/1'],
  ],
  [
    'message M { optional int32 a = 1; }',
    'message M { repeated int32 a = 1; }',
    ['FIELD_NUMERIC_LABEL_CHANGED #/M/1'],
  ],
  // A label that is not written does not count.
  ['message M { int32 a = 1; }', 'message M { repeated int32 a = 1; }', []],
  [
    'message M { optional string a = 1; }',
    'message M { repeated string a = 1; }',
    ['FIELD_STRING_OR_BYTES_LABEL_CHANGED #/M/1'],
  ],
  [
    'syntax = "proto2"; message M { required int32 a = 1; }',
    'syntax = "proto2"; message M { required int32 b = 2; }',
    ['REQUIRED_FIELD_REMOVED #/M/1', 'REQUIRED_FIELD_ADDED #/M/2'],
  ],
  [
    'message M { int32 a = 1; }',
    'message M { oneof o { int32 a = 1; int32 b = 2; } }',
    ['ONEOF_ADDED #/M/o', 'ONEOF_FIELD_ADDED #/M/o/2'],
  ],
  ['message M { oneof o { int32 a = 1; int32 b = 2; } }', 'message M {}', ['ONEOF_REMOVED #/M/o']],
  [
    'message M { oneof o { int32 a = 1; int32 b = 2; } }',
    'message M { oneof o { int32 a = 1; } }',
    ['ONEOF_FIELD_REMOVED #/M/o/2'],
  ],
  [
    'message M { oneof o { int32 a = 1; int32 b = 2; } }',
    'message M { int32 a = 1; }',
    ['ONEOF_REMOVED #/M/o', 'ONEOF_FIELD_MOVED_TO_TOP_LEVEL #/M/1', 'ONEOF_FIELD_REMOVED #/M/o/2'],
  ],
  [
    'message M { int32 a = 1; int32 b = 2; }',
    'message M { oneof o { int32 a = 1; int32 b = 2; } }',
    ['MULTIPLE_FIELDS_MOVED_TO_ONEOF #/M/o', 'ONEOF_ADDED #/M/o'],
  ],
  [
    'message M { int32 a = 1; oneof o { int32 b = 2; } }',
    'message M { oneof o { int32 a = 1; int32 b = 2; } }',
    ['FIELD_MOVED_TO_EXISTING_ONEOF #/M/o'],
  ],
  [
    'message M { oneof o { int32 a = 1; } oneof p { int32 b = 2; } }',
    'message M { oneof o { int32 a = 1; int32 b = 2; } }',
    ['FIELD_MOVED_TO_EXISTING_ONEOF #/M/o', 'ONEOF_REMOVED #/M/p'],
  ],
  // A oneof may get another name, and a change of type in it does not hide.
  [
    'message M { oneof o { int32 a = 1; } }',
    'message M { oneof p { string a = 1; } }',
    ['ONEOF_REMOVED #/M/o', 'ONEOF_ADDED #/M/p', 'FIELD_SCALAR_KIND_CHANGED #/M/p/1'],
  ],
  // The oneofs of optional fields are none.
  ['message M { int32 a = 1; }', 'message M { optional int32 a = 1; }', []],
  // A map is a list of its entries.
  [
    'message M { map<string, N> a = 1; message N {} }',
    'message M { repeated AEntry a = 1; message AEntry { option map_entry = true; string key = 1; N value = 2; } message N {} }',
    [],
  ],
];

test('differences', () => {
  for (const [original, update, expected] of rows)
    assert.deepEqual(found(original, update), expected, update);
});

test('every type of difference is in the table, 11 of 26 are incompatible', () => {
  const seen = new Set(rows.flatMap(([, , expected]) => expected.map((text) => text.split(' ')[0]!)));
  assert.deepEqual([...seen].sort(), Object.keys(differenceTypes).sort());
  const values = Object.values(differenceTypes);
  assert.deepEqual([values.length, values.filter((value) => value === 'incompatible').length], [26, 11]);
});

test('scalars are compatible within their group', () => {
  const groups = [
    ['int32', 'int64', 'uint32', 'uint64', 'bool', 'E'],
    ['sint32', 'sint64'],
    ['string', 'bytes'],
    ['fixed32', 'sfixed32'],
    ['fixed64', 'sfixed64'],
    ['float'],
    ['double'],
  ];
  const all = groups.flatMap((types, group) => types.map((type) => ({ type, group })));
  const text = (type: string) => `message M { ${type} a = 1; } enum E { X = 0; }`;
  for (const from of all) {
    for (const to of all) {
      const expected = from.group === to.group ? [] : ['FIELD_SCALAR_KIND_CHANGED #/M/1'];
      assert.deepEqual(found(text(from.type), text(to.type)), expected, `${from.type} ${to.type}`);
    }
  }
});

const imported = (text: string, version: number, subject = 's') => [
  { name: 'i.proto', subject, version, source: { text: `syntax = "proto3"; ${text}`, references: [] } },
];

test('imported messages are compared unless they are of the same subject and version', () => {
  const text = 'import "i.proto"; message M { i.N n = 1; }';
  const old = parse(text, imported('package i; message N { int32 a = 1; }', 1));
  const changed = 'package i; message N { string a = 1; }';
  const compare = (update: ReturnType<typeof parse>) =>
    protobufFormat
      .incompatibilities(update, old, { reader: 'new', policy: 'STRICT' })
      .map(({ type, path }) => `${type} ${path}`);
  assert.deepEqual(compare(parse(text, imported(changed, 2))), [
    'FIELD_NAMED_TYPE_CHANGED #/M/1',
    'FIELD_SCALAR_KIND_CHANGED #/N/1',
  ]);
  assert.deepEqual(compare(parse(text, imported(changed, 1))), []);
  assert.deepEqual(compare(parse(text, imported('package i; message N { int64 a = 1; }', 2))), []);
  // The package of a type does not count, its name does.
  const moved = parse(
    'import "i.proto"; message M { j.N n = 1; }',
    imported('package j; message N { int32 a = 1; }', 2),
  );
  assert.deepEqual(compare(moved), []);
  const local = parse('message M { N n = 1; } message N { bool a = 1; }');
  assert.deepEqual(compare(local), []);
});

test('incompatibility spreads over fields, also in a circle', () => {
  const text = 'import "i.proto"; message M { A a = 1; C c = 2; }';
  const chain = (type: string) =>
    `message A { B b = 1; } message B { A a = 1; ${type} x = 2; } message C { int32 n = 1; }`;
  const [old, update] = [parse(text, imported(chain('int32'), 1)), parse(text, imported(chain('string'), 2))];
  assert.deepEqual(
    differencesOf(old.loaded, update.loaded).map(({ type, path }) => `${type} ${path}`),
    [
      'FIELD_NAMED_TYPE_CHANGED #/M/1',
      'FIELD_NAMED_TYPE_CHANGED #/A/1',
      'FIELD_NAMED_TYPE_CHANGED #/B/1',
      'FIELD_SCALAR_KIND_CHANGED #/B/2',
    ],
  );
});

test('messages name the schemas by the direction of the check', () => {
  const [old, update] = [parse('message M { int32 a = 1; }'), parse('message M { string a = 1; }')];
  const message = (reader: 'new' | 'old') =>
    protobufFormat.incompatibilities(reader === 'new' ? update : old, reader === 'new' ? old : update, {
      reader,
      policy: 'STRICT',
    })[0]!.message;
  assert.equal(
    message('new'),
    `{errorType:"FIELD_SCALAR_KIND_CHANGED", description:"The kind of the SCALAR field at path '#/M/1' in the new schema differs from its kind in the old schema"}`,
  );
  assert.equal(
    message('old'),
    `{errorType:"FIELD_SCALAR_KIND_CHANGED", description:"The kind of the SCALAR field at path '#/M/1' in the old schema differs from its kind in the new schema"}`,
  );
});

test('all incompatibilities have a message', () => {
  const types = new Set<DifferenceType>();
  for (const [original, update] of rows) {
    for (const { type, path, message } of protobufFormat.incompatibilities(parse(update), parse(original), {
      reader: 'new',
      policy: 'STRICT',
    })) {
      types.add(type as DifferenceType);
      assert.match(message, new RegExp(`^\\{errorType:"${type}", description:"[^"{}]+"\\}$`));
      assert.ok(message.includes(`'${path}'`), message);
    }
  }
  assert.equal(types.size, 11);
});
