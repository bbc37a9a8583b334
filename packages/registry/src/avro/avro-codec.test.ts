import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaSource } from '../../testing/schema-source.ts';
import { InvalidPayload, type PayloadCodec } from '../schema-format.ts';
import { avroFormat } from './avro-format.ts';

function codecOf(schema: unknown): PayloadCodec {
  return avroFormat.codec(avroFormat.parse(schemaSource(JSON.stringify(schema))));
}

const nulls = { type: 'array', items: 'null' };
const record = (...fields: object[]): object => ({ type: 'record', name: 'R', fields });

// Values with the bytes that Avro's specification gives them.
const encodings: [schema: unknown, value: unknown, bytes: string][] = [
  ['null', null, ''],
  ['boolean', true, '01'],
  ['int', -64, '7f'],
  ['int', 64, '8001'],
  ['int', -2147483648, 'ffffffff0f'],
  ['long', 9007199254740991, 'feffffffffffff1f'],
  ['long', '9223372036854775807', 'feffffffffffffffff01'],
  ['long', '-9223372036854775808', 'ffffffffffffffffff01'],
  ['float', 1.5, '0000c03f'],
  ['float', 'NaN', '0000c07f'],
  ['double', '-Infinity', '000000000000f0ff'],
  ['bytes', '\u0000ÿ', '0400ff'],
  ['string', 'foo', '06666f6f'],
  ['string', '\ufeffü', '0aefbbbfc3bc'],
  [{ type: 'fixed', name: 'F', size: 2 }, '\u0001\u0080', '0180'],
  [{ type: 'enum', name: 'E', symbols: ['A', 'B'] }, 'B', '02'],
  [{ type: 'array', items: 'long' }, [3, 27], '04063600'],
  [{ type: 'array', items: 'null' }, [null, null], '0400'],
  [{ type: 'map', values: 'int' }, { a: 1 }, '0202610200'],
  [['null', 'string'], { string: 'a' }, '020261'],
  [['null', 'string'], null, '00'],
  [[{ type: 'fixed', name: 'a.F', size: 1 }], { 'a.F': 'x' }, '0078'],
  [record({ name: 'a', type: 'int' }, { name: 'b', type: 'string' }), { a: 27, b: 'foo' }, '3606666f6f'],
  [record({ name: 'next', type: ['null', 'R'] }), { next: { R: { next: null } } }, '0200'],
];

for (const [schema, value, bytes] of encodings) {
  test(`encoding: ${JSON.stringify(schema)} ${JSON.stringify(value)}`, () => {
    const codec = codecOf(schema);
    const payload = codec.encode(value);
    assert.equal(Buffer.from(payload).toString('hex'), bytes);
    assert.equal(codec.problemOf(payload), undefined);
    assert.deepEqual(codec.decode(payload), value);
  });
}

test('a block may state its size', () => {
  const codec = codecOf({ type: 'array', items: 'long' });
  assert.deepEqual(codec.decode(Buffer.from('0304063600', 'hex')), [3, 27]);
  assert.equal(
    codec.problemOf(Buffer.from('0306063600', 'hex')),
    'a block does not have the size that it states',
  );
});

test('few bytes are not decoded as many values', () => {
  const tooMany = new InvalidPayload('the payload has too many values for its size to be decoded');
  const million = '80897a00';
  const hostile: unknown[] = [nulls, { type: 'array', items: record() }];
  // Four records within each other, of ten fields each, are ten thousand nulls.
  let wide: unknown = 'null';
  for (let depth = 0; depth < 4; depth += 1) {
    const fields = Array.from({ length: 10 }, (_, at) => ({
      name: `f${at}`,
      type: at === 0 ? wide : `R${depth - 1}`,
    }));
    if (depth === 0) for (const field of fields) field.type = 'null';
    wide = { type: 'record', name: `R${depth}`, fields };
  }
  for (const schema of hostile) {
    const codec = codecOf(schema);
    assert.equal(codec.problemOf(Buffer.from(million, 'hex')), undefined);
    assert.throws(() => codec.decode(Buffer.from(million, 'hex')), tooMany);
  }
  assert.throws(() => codecOf(wide).decode(Buffer.alloc(0)), tooMany);
  // Ten thousand without bytes are fine.
  assert.equal((codecOf(nulls).decode(Buffer.from('9e9c0100', 'hex')) as unknown[]).length, 9_999);
});

test('a key __proto__ is a key like others', () => {
  const codec = codecOf({ type: 'map', values: 'int' });
  const value = JSON.parse('{"__proto__":1,"b":2}');
  const decoded = codec.decode(codec.encode(value));
  assert.deepEqual(Object.entries(decoded as object), [
    ['__proto__', 1],
    ['b', 2],
  ]);
});

const nested = record({ name: 'a', type: { type: 'array', items: 'string' } });

const problems: [schema: unknown, bytes: string, problem: string][] = [
  ['null', '00', '1 bytes follow the value'],
  ['boolean', '', 'expected a boolean'],
  ['boolean', '02', 'expected a boolean'],
  ['int', '', 'the payload is truncated'],
  ['int', '80', 'the payload is truncated'],
  ['int', 'ffffffff1f', 'an int has more than 32 bits'],
  ['int', '808080808000', 'an int has more than 32 bits'],
  ['long', 'ffffffffffffffffff02', 'a long has more than 64 bits'],
  ['long', 'ffffffffffffffffffff01', 'a long has more than 64 bits'],
  ['double', '00000000000000', 'the payload is truncated'],
  ['string', '0661', 'the payload is truncated'],
  ['string', '', 'the payload is truncated'],
  ['string', '01', 'a length is negative'],
  ['string', '80', 'the payload is truncated'],
  ['bytes', 'feffffffffffffffff01', 'the payload is truncated'],
  [{ type: 'enum', name: 'E', symbols: ['A'] }, '02', 'the enum has no symbol 1'],
  [{ type: 'enum', name: 'E', symbols: ['A'] }, '01', 'the enum has no symbol -1'],
  [['null'], '02', 'the union has no branch 1'],
  [['null'], '', 'the payload is truncated'],
  [{ type: 'array', items: 'int' }, '0402', 'a block has more items than the payload has bytes'],
  [{ type: 'array', items: 'int' }, '040204', 'the payload is truncated'],
  [
    { type: 'array', items: 'int' },
    'ffffffffffffffffff01',
    'a block has more items than the payload has bytes',
  ],
  [nulls, '0502', 'a block is longer than the payload'],
  [nulls, 'feffffffffffffffff0100', 'the payload has more than 1000000 values that take no bytes'],
  [nested, '020661', 'a: the payload is truncated'],
  [record({ name: 'a', type: 'R' }), '', 'record "R" contains itself, so no payload can hold it'],
];

for (const [schema, bytes, problem] of problems) {
  test(`problem: ${JSON.stringify(schema)} ${bytes}`, () => {
    const codec = codecOf(schema);
    const payload = Buffer.from(bytes, 'hex');
    assert.equal(codec.problemOf(payload), problem);
    // Nothing is left over from the payload before.
    assert.equal(codec.problemOf(payload), problem);
    assert.throws(() => codec.decode(payload), new InvalidPayload(problem));
  });
}

const refused: [schema: unknown, value: unknown, problem: string][] = [
  ['int', 2147483648, 'expected a value of type "int", found 2147483648'],
  ['int', 1.5, 'expected a value of type "int", found 1.5'],
  ['long', '9223372036854775808', 'expected a value of type "long", found "9223372036854775808"'],
  ['long', 2 ** 53, 'expected a value of type "long", found 9007199254740992'],
  ['bytes', 'Ā', 'expected a value of type "bytes", found "Ā"'],
  [{ type: 'fixed', name: 'F', size: 2 }, 'x', 'fixed "F" has 2 bytes, not 1'],
  [['null', 'int'], 1, 'a value of a union is null, or an object of the branch and its value, not 1'],
  [['null', 'int'], { long: 1 }, 'the union has no branch "long"'],
  [['int'], null, 'the union has no branch "null"'],
  [record({ name: 'a', type: 'int' }), {}, 'a: the field is missing'],
  [record({ name: 'toString', type: 'int' }), {}, 'toString: the field is missing'],
  [record({ name: 'a', type: 'int' }), { a: 1, b: 2 }, 'record "R" has no field "b"'],
  [
    record({ name: 'a', type: { type: 'array', items: 'int' } }),
    { a: [1, 'x'] },
    'a.1: expected a value of type "int", found "x"',
  ],
];

for (const [schema, value, problem] of refused) {
  test(`refused: ${JSON.stringify(schema)} ${JSON.stringify(value)}`, () => {
    assert.throws(() => codecOf(schema).encode(value), new InvalidPayload(problem));
  });
}

test('the record of a payload has a name', () => {
  assert.equal(codecOf({ ...record(), namespace: 'a' }).recordName(), 'a.R');
  assert.equal(codecOf('int').recordName(), undefined);
  const union = codecOf(['null', record()]);
  assert.equal(union.recordName(), undefined);
  assert.equal(union.recordName(Buffer.from('02', 'hex')), 'R');
  assert.equal(union.recordName(Buffer.from('00', 'hex')), undefined);
  assert.equal(union.recordName(Buffer.from('', 'hex')), undefined);
});
