import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProtobufWriter } from '@weir/core';
import { protobufFormat } from '@weir/registry/formats';
import fc from 'fast-check';
import { noRegistry, recordOf, tableOf } from '../../testing/records.ts';
import type { ReadRows } from './row-reader.ts';

const identity = { transforms: [{ transform_type: 'bento', transform: 'root = this' }] };

/** The payload of the first message, without the indexes that name it. */
function payloadOf(text: string, json: unknown): Uint8Array {
  const codec = protobufFormat.codec(protobufFormat.parse({ text, references: [] }));
  return codec.encode(json).subarray(1);
}

async function rowsOf(
  text: string,
  payloads: readonly Uint8Array[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<ReadRows> {
  const definition = await tableOf({ source_format: 'protobuf', input_schema: text, ...more });
  return await definition.openRows(noRegistry).read(payloads.map((payload) => recordOf(payload)));
}

const proto3 = (body: string) => `syntax = "proto3";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/struct.proto";
message M {
  enum Kind { NONE = 0; SOME = 1; }
  message Item { string name = 1; uint32 count = 2; }
  ${body}
}`;

// biome-ignore format: a table
const values: readonly [field: string, json: unknown, row: unknown][] = [
  ['int32 c = 1;',                          -1,                          -1],
  ['sint32 c = 1;',                         -(2 ** 31),                  -(2 ** 31)],
  ['sfixed32 c = 1;',                       -5,                          -5],
  ['int64 c = 1;',                          '-9223372036854775808',      -9223372036854775808n],
  ['sint64 c = 1;',                         '9223372036854775807',       9223372036854775807n],
  ['sfixed64 c = 1;',                       '-1',                        -1n],
  // Unsigned integers are decimals.
  ['uint32 c = 1;',                         4294967295,                  4294967295n],
  ['fixed32 c = 1;',                        4294967295,                  4294967295n],
  ['uint64 c = 1;',                         '18446744073709551615',      18446744073709551615n],
  ['fixed64 c = 1;',                        '18446744073709551615',      18446744073709551615n],
  ['float c = 1;',                          0.1,                         Math.fround(0.1)],
  ['double c = 1;',                         'Infinity',                  Number.POSITIVE_INFINITY],
  ['bool c = 1;',                           true,                        true],
  ['string c = 1;',                         'ä😀',                       'ä😀'],
  ['bytes c = 1;',                          'AAEC',                      Buffer.from([0, 1, 2])],
  ['Kind c = 1;',                           'SOME',                      'SOME'],
  ['Item c = 1;',                           { name: 'a', count: 7 },     ['a', 7n]],
  ['repeated Item c = 1;',                  [{ name: 'a' }, {}],         [['a', 0n], ['', 0n]]],
  ['repeated int64 c = 1;',                 ['1', '-1'],                 [1n, -1n]],
  ['map<string, int64> c = 1;',             { a: '1' },                  [['a', 1n]]],
  ['map<uint64, Item> c = 1;',              { '18446744073709551615': {} }, [[18446744073709551615n, ['', 0n]]]],
  ['map<bool, string> c = 1;',              { true: 'x' },               [[true, 'x']]],
  ['map<int32, string> c = 1;',             { '-1': 'x' },               [[-1, 'x']]],
  ['google.protobuf.Timestamp c = 1;',      '2024-01-01T00:00:00.123456789Z', 1704067200123456n],
  ['google.protobuf.Timestamp c = 1;',      '1969-12-31T23:59:59.999999999Z', -1n],
  ['google.protobuf.Int64Value c = 1;',     '0',                         0n],
  ['google.protobuf.Struct c = 1;',         { a: [1, null] },            '{"a":[1,null]}'],
  ['oneof o { string c = 1; int32 d = 2; }', 'a',                        'a'],
  ['optional int32 c = 1;',                 0,                           0],
];
for (const [field, json, row] of values) {
  test(`a row of ${field} ${JSON.stringify(json)}`, async () => {
    const text = proto3(field);
    for (const more of [{}, identity]) {
      const { columns, failures } = await rowsOf(text, [payloadOf(text, { c: json })], more);
      assert.deepEqual(failures, []);
      assert.deepEqual(columns[0], [row]);
    }
  });
}

// biome-ignore format: a table
const unset: readonly [field: string, row: unknown][] = [
  ['int32 c = 1;',                     0],
  ['uint64 c = 1;',                    0n],
  ['string c = 1;',                    ''],
  ['bool c = 1;',                      false],
  ['Kind c = 1;',                      'NONE'],
  ['repeated int32 c = 1;',            []],
  ['map<string, int32> c = 1;',        []],
  ['optional int32 c = 1;',            null],
  ['Item c = 1;',                      null],
  ['google.protobuf.Timestamp c = 1;', null],
  ['google.protobuf.Int64Value c = 1;', null],
  ['oneof o { string c = 1; }',        null],
];
for (const [field, row] of unset)
  test(`${field} is not set`, async () => {
    for (const more of [{}, identity]) {
      const { columns, failures } = await rowsOf(proto3(field), [Buffer.alloc(0)], more);
      assert.deepEqual([failures, columns[0]], [[], [row]]);
    }
  });

test('an enum that has grown since is known by its number', async () => {
  const payload = new ProtobufWriter().tag(1, 0).varint(42).finish();
  assert.deepEqual((await rowsOf(proto3('Kind c = 1;'), [payload])).columns[0], ['42']);
});

/** What other writers may do, and early releases of others got wrong. */
test('lists that are packed or not, fields in parts, twice, or unknown', async () => {
  const text = proto3('repeated int32 c = 1; Item item = 2; oneof o { string a = 3; int32 b = 4; }');
  const payload = new ProtobufWriter();
  payload.tag(1, 0).varint(1);
  payload.messageField(1, () => payload.varint(2).varint(3));
  payload.messageField(2, () => payload.tag(1, 2).text('x'));
  payload.messageField(2, () => payload.tag(2, 0).varint(9));
  payload.tag(3, 2).text('gone');
  payload.tag(4, 0).integer(-7);
  payload.tag(99, 2).text('unknown');
  payload.tag(1, 0).varint(4);
  const { columns, failures } = await rowsOf(text, [payload.finish()]);
  assert.deepEqual(failures, []);
  assert.deepEqual(columns.slice(0, 4), [[[1, 2, 3, 4]], [['x', 9n]], [null], [-7]]);
});

test('a required field of proto2 that is missing, also inside of another', async () => {
  const text = 'syntax = "proto2"; message M { optional I i = 1; message I { required int32 c = 1; } }';
  const payload = new ProtobufWriter();
  payload.messageField(1, () => {});
  const { failures } = await rowsOf(text, [payload.finish(), Buffer.alloc(0)]);
  assert.deepEqual(failures, [
    { at: 0, step: 'convert', message: 'i.c: is required, and there is no value' },
  ]);
});

// biome-ignore format: a table
const hostile: readonly [what: string, payload: Uint8Array, message: RegExp][] = [
  ['truncated',          Buffer.from([0x0a, 0x05, 0x61]),       /^decode: the value is no message M: truncated field/],
  ['another wire type',  Buffer.from([0x08, 0x01]),             /^decode: the value is no message M: field M\.c has wire type 0 instead of 2$/],
  ['no UTF-8',           Buffer.from([0x0a, 0x01, 0xff]),       /^decode: the value is no message M: field M\.c is not UTF-8$/],
  ['deep groups',        Buffer.alloc(1000, 0x1b),              /^decode: the value is no message M: /],
];
for (const [what, payload, message] of hostile)
  test(`${what}: no row`, async () => {
    const { failures } = await rowsOf(proto3('string c = 1;'), [payload]);
    assert.match(`${failures[0]?.step}: ${failures[0]?.message}`, message);
  });

test('a timestamp that is out of range', async () => {
  const payload = new ProtobufWriter();
  payload.messageField(1, () => payload.tag(1, 0).varint64(2n ** 62n));
  const { failures } = await rowsOf(proto3('google.protobuf.Timestamp c = 1;'), [payload.finish()]);
  assert.deepEqual(failures, [{ at: 0, step: 'convert', message: 'c: a timestamp is out of range' }]);
});

test('the indexes of a registry in front say which message it is', async () => {
  const text = 'syntax = "proto3"; message A { int32 a = 1; } message B { int32 b = 1; }';
  const codec = protobufFormat.codec(protobufFormat.parse({ text, references: [] }));
  const framed = (name: string, json: object) =>
    Buffer.concat([Buffer.from([0, 0, 0, 0, 1]), codec.encode(json, name)]);
  const { columns, failures } = await rowsOf(text, [framed('B', { b: 5 }), framed('A', { a: 1 })], {
    wire_format: 'schema_registry',
    message_name: 'B',
  });
  assert.deepEqual(columns[0], [5]);
  assert.deepEqual(failures, [
    { at: 1, step: 'decode', message: 'the value is a message A, and the table has B' },
  ]);
});

test('integers of 64 bits come back as they were written', async () => {
  const text = proto3('int64 s = 1; uint64 u = 2; fixed64 f = 3; sint64 z = 4;');
  const definition = await tableOf({ source_format: 'protobuf', input_schema: text });
  const through = await tableOf({ source_format: 'protobuf', input_schema: text, ...identity });
  const signed = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const unsigned = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  await fc.assert(
    fc.asyncProperty(signed, unsigned, unsigned, signed, async (s, u, f, z) => {
      const record = recordOf(payloadOf(text, { s: `${s}`, u: `${u}`, f: `${f}`, z: `${z}` }));
      for (const table of [definition, through]) {
        const { columns, failures } = await table.openRows(noRegistry).read([record]);
        assert.deepEqual([failures, columns.slice(0, 4)], [[], [[s], [u], [f], [z]]]);
      }
    }),
  );
});
