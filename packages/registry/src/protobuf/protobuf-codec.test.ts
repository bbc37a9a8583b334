import assert from 'node:assert/strict';
import { test } from 'node:test';
import { protobufFormat } from './protobuf-format.ts';

const codecOf = (text: string) => protobufFormat.codec(protobufFormat.parse({ text, references: [] }));

const everything = `syntax = "proto3"; package p;
import "google/protobuf/timestamp.proto"; import "google/protobuf/duration.proto"; import "google/protobuf/struct.proto";
import "google/protobuf/any.proto"; import "google/protobuf/wrappers.proto"; import "google/protobuf/field_mask.proto";
message M { int32 a = 1; int64 b = 2; bytes c = 3; E e = 4; repeated sint32 r = 5; map<string, M> m = 6; oneof o { string s = 7; bool t = 8; }
  google.protobuf.Timestamp at = 9; google.protobuf.Duration d = 10; google.protobuf.Struct st = 11; google.protobuf.Any any = 12;
  google.protobuf.Int64Value w = 13; google.protobuf.FieldMask mask = 14; float f = 15; double g = 16; optional int32 z = 17; fixed64 x = 18; message N { uint32 n = 1; } N n = 19; }
enum E { ZERO = 0; ONE = 1; }`;

test('values are the same after encoding and decoding, in the JSON of protobuf', () => {
  const codec = codecOf(everything);
  const value = {
    a: -5,
    b: '9007199254740993',
    c: 'AQL/',
    e: 'ONE',
    r: [-1, 1],
    m: { k: { a: 1 }, '': {} },
    t: false,
    at: '2026-01-31T12:00:00.500Z',
    d: '-1.500s',
    st: { x: [1, null, 'a', { y: true }] },
    any: { '@type': 'type.googleapis.com/p.M', a: 7 },
    w: '0',
    mask: 'fooBar,x',
    f: 0.1,
    g: 'NaN',
    z: 0,
    x: '18446744073709551615',
    n: { n: 4294967295 },
  };
  const payload = codec.encode(value);
  assert.equal(payload[0], 0);
  assert.equal(codec.problemOf(payload), undefined);
  assert.deepEqual(codec.decode(payload), value);
  assert.equal(codec.recordName(payload), 'p.M');
});

test('bytes that protoc makes', () => {
  const codec = codecOf(
    'syntax = "proto3"; message Test { int32 a = 1; string b = 2; repeated int32 c = 4; }',
  );
  // The examples of protobuf's documentation of the encoding.
  assert.deepEqual(codec.decode(Buffer.from('00089601', 'hex')), { a: 150 });
  assert.deepEqual(codec.decode(Buffer.from('00120774657374696e67', 'hex')), { b: 'testing' });
  assert.deepEqual(codec.decode(Buffer.from('002206038e029ea705', 'hex')), { c: [3, 270, 86942] });
  assert.equal(Buffer.from(codec.encode({ c: [3, 270, 86942] })).toString('hex'), '002206038e029ea705');
});

test('a file of delimited messages has maps of length-prefixed ones', () => {
  const codec = codecOf(
    'edition = "2023"; option features.message_encoding = DELIMITED; message M { map<string, M> m = 1; M n = 2; }',
  );
  const value = { m: { k: {} }, n: {} };
  const payload = Buffer.from('00' + '0a050a016b1200' + '1314', 'hex');
  assert.deepEqual(Buffer.from(codec.encode(value)), payload);
  assert.deepEqual(codec.decode(payload), value);
  assert.equal(codec.problemOf(payload), undefined);
});

test('the path names the message, and what does not fit the schema is a problem', () => {
  const codec = codecOf(
    'syntax = "proto3"; message A { message B { string s = 1; } } message C { int32 n = 1; }',
  );
  const rows: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ['0200', 'A', undefined],
    ['040000' + '0a0161', 'A.B', undefined],
    ['0202' + '0801', 'C', undefined],
    ['0202' + '0a0161', 'C', 'field C.n has wire type 2 instead of 0'],
    ['040000' + '0a01ff', 'A.B', 'field A.B.s is not UTF-8'],
    ['040000' + '0a0561', 'A.B', 'truncated field: its length exceeds the remaining bytes'],
    ['0206', undefined, 'the schema has no message with index [3]'],
    ['', undefined, 'truncated varint'],
  ];
  for (const [hex, name, problem] of rows) {
    const payload = Buffer.from(hex, 'hex');
    assert.equal(codec.recordName(payload), name, hex);
    assert.equal(codec.problemOf(payload), problem, hex);
  }
  assert.match(
    codecOf('message A { required int32 n = 1; }').problemOf(Buffer.from([0]))!,
    /required field A.n is missing/,
  );
});

test('a message is encoded by its name', () => {
  const codec = codecOf(
    'syntax = "proto3"; package p; message A { map<string, B> m = 1; message B { string s = 1; message C { int32 n = 1; } } } message AB { int32 n = 1; }',
  );
  const rows: readonly (readonly [name: string | undefined, value: object, hex: string])[] = [
    [undefined, {}, '00'],
    ['p.A', {}, '00'],
    ['p.A.B', { s: 'a' }, '040000' + '0a0161'],
    ['p.A.B.C', { n: 1 }, '06000000' + '0801'],
    ['p.AB', { n: 1 }, '0202' + '0801'],
  ];
  for (const [name, value, hex] of rows) {
    const payload = codec.encode(value, name);
    assert.equal(Buffer.from(payload).toString('hex'), hex);
    assert.equal(codec.recordName(payload), name ?? 'p.A');
    assert.deepEqual(codec.decode(payload), value);
  }
  for (const name of ['A', 'p', 'p.A.', 'p.A.MEntry', 'p.A.B.D', ''])
    assert.throws(() => codec.encode({}, name), {
      name: 'InvalidPayload',
      message: /^the schema has no message /,
    });
});
