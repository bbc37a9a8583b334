import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registryLimits } from '../limits.ts';
import { InvalidPayload, InvalidSchema, type SchemaSource } from '../schema-format.ts';
import { protobufFormat } from './protobuf-format.ts';

const parse = (text: string, references: SchemaSource['references'] = []) =>
  protobufFormat.parse({ text, references });
const refuses = (text: string, pattern: RegExp) =>
  assert.throws(
    () => parse(text),
    (error) => {
      assert.ok(error instanceof InvalidSchema, String(error).slice(0, 200));
      assert.ok(error.message.length < 300);
      assert.match(error.message, pattern);
      return true;
    },
  );

const proto3 = 'syntax = "proto3";';

test('nesting is bounded', () => {
  refuses(`${proto3}${'message A {'.repeat(100_000)}`, /nested deeper than 32/);
  refuses(`message A { ${'optional group G = 1 {'.repeat(50_000)}`, /nested deeper than 32/);
  refuses(`${proto3} option a = ${'{ a: '.repeat(100_000)}`, /nested deeper than 32/);
  refuses(`${proto3} option a = { a: ${'['.repeat(100_000)}`, /must not contain a list/);
  refuses(`${proto3} option a${'.a'.repeat(100_000)} = 1;`, /more than 32 parts/);
  // A descriptor: nested_type of nested_type and so on.
  let bytes = Buffer.from([10, 1, 65]);
  for (let depth = 0; depth < 60; depth += 1) {
    bytes = Buffer.concat([
      Buffer.from([10, 1, 65, 26, 128 | (bytes.length & 127), bytes.length >> 7]),
      bytes,
    ]);
  }
  const file = Buffer.concat([Buffer.from([34, 128 | (bytes.length & 127), bytes.length >> 7]), bytes]);
  refuses(file.toString('base64'), /nested deeper than 32/);
});

test('names are bounded', () => {
  const long = 'a'.repeat(1024 * 1024);
  refuses(`${proto3} message ${long} {}`, /longer than 512 characters/);
  refuses(`${proto3} package ${'a.'.repeat(500_000)}a;`, /longer than 2048 characters/);
  refuses(`${proto3} message A { ${'a.'.repeat(500_000)}a b = 1; }`, /longer than 2048 characters/);
  refuses(`${proto3} message A { int32 a = ${'1'.repeat(1_000_000)}; }`, /longer than 512 characters/);
  refuses(' '.repeat(registryLimits.protobufTextCharsMax + 1), /longer than/);
});

test('names of properties of objects are names like others', () => {
  const text = `${proto3} package constructor; message __proto__ { int32 __proto__ = 1; map<string, toString> hasOwnProperty = 2;
    __proto__ valueOf = 3 [json_name = "__proto__x"]; } message toString { optional __E constructor = 1; } enum __E { prototype = 0; }`;
  const schema = parse(text);
  const codec = protobufFormat.codec(schema);
  const value = JSON.parse('{"__proto__": 5, "hasOwnProperty": {"__proto__": {"constructor": "prototype"}}}');
  // The name in JSON has no underscores.
  const decoded = codec.decode(codec.encode(value));
  assert.deepEqual(
    JSON.stringify(decoded),
    '{"Proto":5,"hasOwnProperty":{"__proto__":{"constructor":"prototype"}}}',
  );
  assert.equal(Object.getPrototypeOf(decoded), Object.prototype);
  assert.equal(({} as Record<string, unknown>).Proto, undefined);
  refuses(`${proto3} message A { __proto__ b = 1; }`, /type "__proto__" is not defined/);
  refuses(`${proto3} message A { constructor b = 1; }`, /type "constructor" is not defined/);
  refuses(`${proto3} message A { int32 a = 1 [__proto__ = 1]; }`, /option "__proto__" is unknown/);
  assert.throws(() => codec.encode(JSON.parse('{"__proto__x": 1}')), InvalidPayload);
});

test('large enums, messages and lists of names are linear', () => {
  const values = Array.from({ length: 10_000 }, (_, at) => `V${at}=${at};`).join('');
  const fields = Array.from({ length: 10_000 }, (_, at) => `E f${at}=${at + 1};`).join('');
  const schema = parse(`${proto3} enum E { ${values} } message M { ${fields} }`);
  assert.deepEqual(
    protobufFormat.incompatibilities(schema, parse(schema.canonicalText), {
      reader: 'new',
      policy: 'STRICT',
    }),
    [],
  );
  const oneofs = Array.from({ length: 5_000 }, (_, at) => `oneof o${at} { int32 f${at} = ${at + 1}; }`).join(
    '',
  );
  parse(`${proto3} message M { ${oneofs} }`);
  const reserved = Array.from({ length: 20_000 }, (_, at) => `${at * 2 + 1}`).join(',');
  parse(`${proto3} message M { reserved ${reserved}; }`);
  refuses(`${proto3} message M { reserved ${reserved}, 5; }`, /number 5 is reserved/);
});

test('reference graphs with many paths are visited once', () => {
  let below: SchemaSource['references'] = [];
  for (let level = 0; level < 60; level += 1) {
    const imports = below.map(({ name }) => `import "${name}";`).join('');
    const at = (name: string) => ({
      name: `${name}${level}.proto`,
      subject: 's',
      version: 1,
      source: { text: `${proto3} ${imports} message ${name.toUpperCase()}${level} {}`, references: below },
    });
    below = [at('x'), at('y')];
  }
  const schema = parse(`${proto3} import "x59.proto"; message M { X59 x = 1; }`, below);
  assert.match(schema.canonicalText, /X59 x = 1/);
});

test('imports are bounded', () => {
  const many = Array.from({ length: registryLimits.protobufFilesMax + 1 }, (_, at) => ({
    name: `f${at}.proto`,
    subject: 's',
    version: 1,
    source: { text: proto3, references: [] },
  }));
  const imports = many.map(({ name }) => `import "${name}";`).join('');
  assert.throws(() => parse(`${proto3} ${imports}`, many), /more than 1000 imported files/);
  const references = Array.from({ length: registryLimits.protobufReferencesMax + 1 }, () => many[0]!);
  assert.throws(() => parse(proto3, references), /more than 10000 references/);
  const large = { text: `// ${'x'.repeat(2_000_000)}`, references: [] };
  const heavy = [0, 1, 2].map((at) => ({ name: `h${at}`, subject: 's', version: 1, source: large }));
  assert.throws(() => parse('import "h0"; import "h1"; import "h2";', heavy), /characters together/);
});

test('chains of imported messages do not exhaust the stack', () => {
  const count = 5_000;
  const chain = (type: string) =>
    `${proto3} ${Array.from({ length: count }, (_, at) => `message M${at} { M${at + 1} n = 1; }`).join('')} message M${count} { ${type} n = 1; }`;
  const schema = (type: string, version: number) =>
    parse(`${proto3} import "c.proto"; message R { M0 m = 1; }`, [
      { name: 'c.proto', subject: 'c', version, source: { text: chain(type), references: [] } },
    ]);
  const found = protobufFormat.incompatibilities(schema('string', 2), schema('int32', 1), {
    reader: 'new',
    policy: 'STRICT',
  });
  assert.equal(found.length, registryLimits.protobufDifferencesMax);
});

test('payloads are bounded in depth, and every cut of one is an error or a message', () => {
  const codec = protobufFormat.codec(
    parse(
      `syntax = "proto2"; message M { optional M m = 1; optional group G = 2 { optional M m = 1; } repeated fixed32 f = 3; optional string s = 4; }`,
    ),
  );
  let message = Buffer.alloc(0);
  for (let depth = 0; depth < 300; depth += 1) {
    const length =
      message.length < 128 ? [message.length] : [128 | (message.length & 127), message.length >> 7];
    message = Buffer.concat([Buffer.from([10, ...length]), message]);
  }
  const payload = Buffer.concat([Buffer.from([0]), message]);
  assert.match(codec.problemOf(payload)!, /nested deeper than 100/);
  assert.throws(() => codec.decode(payload), /nested deeper than 100/);
  const groups = Buffer.concat([Buffer.from([0]), Buffer.alloc(100_000, 19)]);
  assert.match(codec.problemOf(groups)!, /wire type|deeper/);
  const unknownGroups = Buffer.concat([Buffer.from([0]), Buffer.alloc(100_000, 83)]);
  assert.match(codec.problemOf(unknownGroups)!, /nested deeper than 100/);
  assert.throws(() => codec.decode(unknownGroups), /nested deeper than 100/);
  const whole = codec.encode({ m: { s: 'abc' }, g: { m: { f: [1, 2] } }, f: [3], s: 'é' });
  for (let end = 0; end <= whole.length; end += 1) {
    const cut = whole.subarray(0, end);
    const problem = codec.problemOf(cut);
    if (problem === undefined) codec.decode(cut);
    else assert.throws(() => codec.decode(cut), InvalidPayload);
  }
});
