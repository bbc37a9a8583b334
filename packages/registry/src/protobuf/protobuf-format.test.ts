import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalidTexts, validTexts } from '../../testing/protobuf-texts.ts';
import { InvalidSchema, type SchemaSource } from '../schema-format.ts';
import { readBuiltinTexts } from './builtin-files.ts';
import { protobufFormat } from './protobuf-format.ts';

const builtinTexts = readBuiltinTexts();

const source = (text: string, ...references: SchemaSource['references']): SchemaSource => ({
  text,
  references,
});
const reference = (name: string, text: string, ...below: SchemaSource['references']) => ({
  name,
  subject: name,
  version: 1,
  source: source(text, ...below),
});
const parse = (text: string, ...references: SchemaSource['references']) =>
  protobufFormat.parse(source(text, ...references));

const everything = `
// A comment.
syntax = "proto3";
package shop.v1;
option java_package = "com.shop"; option optimize_for = CODE_SIZE;
import public "google/protobuf/duration.proto";
import "google/protobuf/timestamp.proto";
import "confluent/meta.proto";
enum Size { option allow_alias = true; SMALL = 0; LARGE = 1; BIG = 1 [deprecated = true]; reserved 5 to 7, 9; reserved "HUGE"; }
message Order {
  string id = 1 [json_name = "orderId", deprecated = true, (confluent.field_meta) = {
    doc: "the 'id'" tags: ["a", "b"], params { key: "k"; value: 'v' } }];
  oneof amount { int64 cents = 2; double euros = 3; }
  map < string , Line > lines = 4;
  repeated int32 numbers = 5 [packed = false];
  message Line { uint32 count = 1; message Deep {} optional Size size = 2; }
  reserved 10, 20 to 30, 1000 to max;
  option (confluent.message_meta).doc = "an order";
  google.protobuf.Timestamp at = 6; /* another */
  reserved "old";
}
service Orders { rpc Get (Order) returns (stream Order) { option deprecated = true; } rpc Put(stream Order) returns (Order); }
`;

test('canonical text has the layout of Wire, without comments', () => {
  assert.equal(
    parse(everything).canonicalText,
    `syntax = "proto3";
package shop.v1;

import "google/protobuf/timestamp.proto";
import "confluent/meta.proto";
import public "google/protobuf/duration.proto";

option java_package = "com.shop";
option optimize_for = CODE_SIZE;

message Order {
  reserved 10, 20 to 30, 1000 to max;
  reserved "old";

  option (confluent.message_meta).doc = "an order";

  string id = 1 [
    deprecated = true,
    (confluent.field_meta) = {
      doc: "the \\'id\\'",
      tags: [
        "a",
        "b"
      ],
      params: {
        key: "k",
        value: "v"
      }
    },
    json_name = "orderId"
  ];
  map<string, Line> lines = 4;
  repeated int32 numbers = 5 [packed = false];
  google.protobuf.Timestamp at = 6;

  oneof amount {
    int64 cents = 2;
    double euros = 3;
  }

  message Line {
    uint32 count = 1;
    optional Size size = 2;
  
    message Deep {}
  }
}
enum Size {
  reserved 5 to 7, 9;
  reserved "HUGE";
  option allow_alias = true;
  SMALL = 0;
  LARGE = 1;
  BIG = 1 [deprecated = true];
}

service Orders {
  rpc Get (Order) returns (stream Order) {
    option deprecated = true;
  };
  rpc Put (stream Order) returns (Order);
}
`,
  );
});

test('normalised text has full names and a fixed order', () => {
  assert.equal(
    protobufFormat.normalizedText(parse(everything)),
    `syntax = "proto3";
package shop.v1;

import "confluent/meta.proto";
import "google/protobuf/timestamp.proto";
import public "google/protobuf/duration.proto";

option java_package = "com.shop";
option optimize_for = CODE_SIZE;

message Order {
  reserved 10;
  reserved 20 to 30;
  reserved 1000 to max;
  reserved "old";

  option (confluent.message_meta) = {
    doc: "an order"
  };

  string id = 1 [
    (confluent.field_meta) = {
      doc: "the \\'id\\'",
      params: {
        key: "k",
        value: "v"
      },
      tags: [
        "a",
        "b"
      ]
    },
    deprecated = true,
    json_name = "orderId"
  ];
  map<string, .shop.v1.Order.Line> lines = 4;
  repeated int32 numbers = 5 [packed = false];
  .google.protobuf.Timestamp at = 6;

  oneof amount {
    int64 cents = 2;
    double euros = 3;
  }

  message Line {
    uint32 count = 1;
    optional .shop.v1.Size size = 2;
  
    message Deep {}
  }
}
enum Size {
  reserved 5 to 7;
  reserved 9;
  reserved "HUGE";
  option allow_alias = true;
  SMALL = 0;
  BIG = 1 [deprecated = true];
  LARGE = 1;
}

service Orders {
  rpc Get (.shop.v1.Order) returns (stream .shop.v1.Order) {
    option deprecated = true;
  };
  rpc Put (stream .shop.v1.Order) returns (.shop.v1.Order);
}
`,
  );
});

test('texts that only differ in spelling have the same normalised text', () => {
  const left = parse(`syntax = "proto3"; package p; import "google/protobuf/descriptor.proto";
    extend google.protobuf.FieldOptions { Opt opt = 50000; }
    message Opt { int32 a = 1; Opt in = 2; repeated string r = 3; }
    message M { reserved 5 to 6, 4; string b = 2 [deprecated = true, (opt) = { in { a: 0x10 } a: 1 r: ["x"] }]; Opt a = 1; oneof two { int32 d = 9; } oneof one { int32 c = 8; } }`);
  const right = parse(`syntax="proto3"; import "google/protobuf/descriptor.proto"; package p;
    extend google.protobuf.FieldOptions { .p.Opt opt = 50000; }
    message Opt { repeated string r = 3; p.Opt in = 2; int32 a = 1; }
    message M { p.Opt a = 1; oneof one { int32 c = 8; } reserved 4; reserved 5 to 6; string b = 2 [(.p.opt).in.a = 16, (p.opt).r = "x", (opt).a = 1, deprecated = true]; oneof two { int32 d = 9; } }`);
  assert.notEqual(left.canonicalText, right.canonicalText);
  assert.equal(protobufFormat.normalizedText(left), protobufFormat.normalizedText(right));
});

test('printed texts are the same when they are parsed again', () => {
  for (const text of [everything, ...validTexts]) {
    const schema = parse(text);
    assert.equal(parse(schema.canonicalText).canonicalText, schema.canonicalText);
    const normalized = protobufFormat.normalizedText(schema);
    assert.equal(protobufFormat.normalizedText(parse(normalized)), normalized);
    assert.equal(parse(normalized).canonicalText, normalized);
    // Printing has an order of its own, and so has the descriptor of a printed text.
    const serialized = protobufFormat.formattedText(parse(schema.canonicalText), 'serialized');
    const described = parse(serialized);
    assert.equal(protobufFormat.formattedText(described, 'serialized'), serialized);
    assert.equal(parse(described.canonicalText).canonicalText, described.canonicalText);
    // Normalised, a schema that was read from a descriptor is what its text was, up to the spelling of some values.
    const isExact = !/default = [0-9.]+e|any \{/.test(text);
    if (isExact) assert.equal(protobufFormat.normalizedText(described), normalized);
  }
});

test('a descriptor is printed as Confluent prints it: full names, and entries of maps as messages', () => {
  const text =
    'syntax = "proto3"; package p; message A { map<string, B> m = 1; optional int32 o = 2; message B {} }';
  const described = parse(protobufFormat.formattedText(parse(text), 'serialized'));
  assert.equal(
    described.canonicalText,
    `syntax = "proto3";
package p;

message A {
  repeated .p.A.MEntry m = 1;
  optional int32 o = 2;

  message MEntry {
    option map_entry = true;
  
    string key = 1;
    .p.A.B value = 2;
  }
  message B {}
}
`,
  );
});

test('ignore_extensions leaves out extensions and custom options, except Confluent’s', () => {
  const schema =
    parse(`syntax = "proto3"; import "google/protobuf/descriptor.proto"; import "confluent/meta.proto";
    extend google.protobuf.FieldOptions { string note = 50000; }
    message A { int32 a = 1 [(note) = "n", (confluent.field_meta).doc = "d", deprecated = true]; }`);
  const text = protobufFormat.formattedText(schema, 'ignore_extensions');
  assert.match(
    text,
    /int32 a = 1 \[\n {4}\(confluent\.field_meta\)\.doc = "d",\n {4}deprecated = true\n {2}\];/,
  );
  assert.doesNotMatch(text, /note|extend/);
  assert.equal(protobufFormat.formattedText(schema, 'anything'), schema.canonicalText);
});

test('invalid schemas are refused with a line and a column', () => {
  const notSchemas: readonly (readonly [string, RegExp])[] = [
    ['not-a-schema', /expected a declaration/],
    ['AAAA', /neither .proto text nor a descriptor in base64/],
  ];
  for (const [text, pattern] of [...invalidTexts, ...notSchemas]) {
    assert.throws(
      () => parse(text),
      (error) => {
        assert.ok(error instanceof InvalidSchema, String(error));
        assert.match(error.message, pattern, text);
        return true;
      },
    );
  }
});

test('imports are found by the names of references, also of those of references', () => {
  const leaf = reference('leaf.proto', 'syntax = "proto3"; package leaf; message L { int32 n = 1; }');
  const middle = reference(
    'dir/middle.proto',
    'syntax = "proto3"; package middle; import public "leaf.proto"; message M { leaf.L l = 1; }',
    leaf,
  );
  const text = 'syntax = "proto3"; import "dir/middle.proto"; message A { middle.M m = 1; leaf.L l = 2; }';
  assert.match(protobufFormat.normalizedText(parse(text, middle)), /\.leaf\.L l = 2;/);
  const hidden = reference('dir/middle.proto', middle.source.text.replace('public ', ''), leaf);
  assert.throws(
    () => parse(text, hidden),
    /^InvalidSchema: 1:75: type "leaf.L" is not defined or not imported$/,
  );
  const broken = reference('dir/middle.proto', 'syntax = "proto3";\nmessage M { X x = 1; }');
  assert.throws(() => parse(text, broken), /^InvalidSchema: dir\/middle.proto:2:13: type "X" is not defined/);
  const cycle = reference(
    'dir/middle.proto',
    'import "leaf.proto";',
    reference('leaf.proto', 'import "dir/middle.proto";'),
  );
  assert.throws(() => parse(text, cycle), /imports itself through other files/);
});

test('built-in files can be schemas of their own, and references by their name or another one', () => {
  for (const [path, text] of builtinTexts) {
    const canonical = parse(text).canonicalText;
    assert.equal(parse(canonical).canonicalText, canonical, path);
    const [, packageName] = /^package ([\w.]+);$/m.exec(canonical) ?? [];
    const name = /^(?:message|enum) (\w+)/m.exec(canonical)![1];
    for (const importPath of [path, `copy/${path}`]) {
      const use = `syntax = "proto2"; import "${importPath}"; message A { optional ${packageName}.${name} a = 1; }`;
      parse(use, reference(importPath, text));
    }
  }
  parse(
    'syntax = "proto3"; import "google/protobuf/timestamp.proto"; import "copy.proto"; message A { google.protobuf.Timestamp t = 1; }',
    reference('copy.proto', builtinTexts.get('google/protobuf/timestamp.proto')!),
  );
  parse('syntax = "proto3"; package google.protobuf; message Timestamp { string text = 1; }');
});

test('messages of google.protobuf that a schema declares have their JSON if they have their fields', () => {
  const use = 'syntax = "proto3"; import "t.proto"; message A { google.protobuf.Timestamp t = 1; }';
  const jsonOf = (text: string, payload: number[]) =>
    protobufFormat.codec(parse(use, reference('t.proto', text))).decode(Uint8Array.from([0, ...payload]));
  const builtin = builtinTexts.get('google/protobuf/timestamp.proto')!;
  assert.deepEqual(jsonOf(builtin, [10, 2, 8, 5]), { t: '1970-01-01T00:00:05Z' });
  const other = 'syntax = "proto3"; package google.protobuf; message Timestamp { string seconds = 1; }';
  assert.deepEqual(jsonOf(other, [10, 3, 10, 1, 97]), { t: { seconds: 'a' } });
});

test('an import that is not registered, and options that no file defines, are no mistake unless they are needed', () => {
  const text = [
    'syntax = "proto3";',
    'import "buf/validate/validate.proto";',
    'import "google/protobuf/timestamp.proto";',
    'option (acme.file).level = 2;',
    'message A {',
    '  string a = 1 [(buf.validate.field).string.min_len = 1, deprecated = true];',
    '  google.protobuf.Timestamp t = 2 [(acme.many) = { a: 1, [acme.ext]: "x" }];',
    '}',
  ].join('\n');
  const schema = parse(text);
  for (const part of [
    'import "buf/validate/validate.proto";',
    'option (acme.file).level = 2;',
    '(buf.validate.field).string.min_len = 1',
    '(acme.many) =',
  ])
    for (const printed of [schema.canonicalText, protobufFormat.normalizedText(schema)])
      assert.ok(printed.includes(part), printed);
  assert.equal(parse(schema.canonicalText).canonicalText, schema.canonicalText);
  const serialized = parse(protobufFormat.formattedText(schema, 'serialized'));
  assert.match(serialized.canonicalText, /import "google\/protobuf\/timestamp.proto";/);
  assert.match(serialized.canonicalText, /string a = 1 \[deprecated = true\];/);
  assert.doesNotMatch(serialized.canonicalText, /validate|acme/);
});

test('every built-in file can be imported, alone and together', () => {
  for (const path of builtinTexts.keys()) parse(`syntax = "proto3"; import "${path}";`);
  parse(`syntax = "proto3"; ${[...builtinTexts.keys()].map((path) => `import "${path}";`).join('')}`);
});

test('names are resolved from the innermost scope on', () => {
  const schema =
    parse(`syntax = "proto3"; package a.b; message M { message N { message a {} N n = 1; M m = 2; .a.b.M q = 3; } N n = 1; b.M m = 2; }
    message N {}`);
  const text = protobufFormat.normalizedText(schema);
  assert.match(text, /\.a\.b\.M\.N n = 1;\n {4}\.a\.b\.M m = 2;\n {4}\.a\.b\.M q = 3;/);
  // The first part of a name decides: `a` is the message next to the field.
  assert.throws(
    () => parse('syntax = "proto3"; package a.b; message M { message a {} a.b.M m = 1; }'),
    /type "a.b.M" is not defined/,
  );
});
