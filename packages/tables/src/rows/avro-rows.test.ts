import assert from 'node:assert/strict';
import { test } from 'node:test';
import { avroFormat } from '@weir/registry/formats';
import fc from 'fast-check';
import { noRegistry, recordOf, tableOf } from '../../testing/records.ts';
import type { ReadRows } from './row-reader.ts';

const schemaOf = (fields: readonly object[]) => JSON.stringify({ type: 'record', name: 'R', fields });

/** Encodes values of Avro's JSON encoding. */
function encoder(text: string): (value: unknown) => Uint8Array {
  const codec = avroFormat.codec(avroFormat.parse({ text, references: [] }));
  return (value) => codec.encode(value);
}

async function rowsOf(
  fields: readonly object[],
  values: readonly (object | Uint8Array)[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<ReadRows> {
  const text = schemaOf(fields);
  const encode = encoder(text);
  const definition = await tableOf({ source_format: 'avro', input_schema: text, ...more });
  const payloads = values.map((value) => (value instanceof Uint8Array ? value : encode(value)));
  return await definition.openRows(noRegistry).read(payloads.map((payload) => recordOf(payload)));
}

const latin1 = (...bytes: number[]) => Buffer.from(bytes).toString('latin1');
const identity = { transforms: [{ transform_type: 'bento', transform: 'root = this' }] };

// biome-ignore format: a table
const values: readonly [type: unknown, value: unknown, row: unknown][] = [
  ['boolean',                                             true,                  true],
  ['int',                                                 -(2 ** 31),            -(2 ** 31)],
  ['long',                                                '9223372036854775807', 9223372036854775807n],
  ['long',                                                '-9223372036854775808', -9223372036854775808n],
  ['long',                                                -1,                    -1n],
  ['long',                                                2 ** 48,               281474976710656n],
  ['float',                                               0.1,                   Math.fround(0.1)],
  ['double',                                              0.1,                   0.1],
  ['double',                                              'NaN',                 Number.NaN],
  ['string',                                              'ä😀',                 'ä😀'],
  ['bytes',                                               latin1(0, 255),        Buffer.from([0, 255])],
  [['null', 'string'],                                    null,                  null],
  [['null', 'string'],                                    { string: 'a' },       'a'],
  [{ type: 'fixed', name: 'F', size: 2 },                 latin1(1, 2),          Buffer.from([1, 2])],
  [{ type: 'enum', name: 'E', symbols: ['A', 'B'] },      'B',                   'B'],
  [{ type: 'array', items: ['null', 'long'] },            [null, { long: 1 }],   [null, 1n]],
  [{ type: 'array', items: 'string' },                    [],                    []],
  [{ type: 'map', values: 'int' },                        { a: 1, __proto___: 2 }, [['a', 1], ['__proto___', 2]]],
  [{ type: 'record', name: 'I', fields: [{ name: 'a', type: 'int' }, { name: 'b', type: 'string' }] }, { a: 1, b: 'x' }, [1, 'x']],
  [{ type: 'bytes', logicalType: 'decimal', precision: 9, scale: 2 }, latin1(0xff, 0x38), -200n],
  [{ type: 'bytes', logicalType: 'decimal', precision: 9, scale: 2 }, '',                 0n],
  [{ type: 'fixed', name: 'F', size: 16, logicalType: 'decimal', precision: 38 }, latin1(...Array(15).fill(0xff), 0xfe), -2n],
  [{ type: 'int', logicalType: 'date' },                  -1,                    -1],
  [{ type: 'int', logicalType: 'time-millis' },           86_399_999,            86_399_999_000n],
  [{ type: 'long', logicalType: 'time-micros' },          1,                     1n],
  [{ type: 'long', logicalType: 'timestamp-millis' },     -1,                    -1000n],
  [{ type: 'long', logicalType: 'timestamp-micros' },     1_700_000_000_123_456, 1_700_000_000_123_456n],
  [{ type: 'long', logicalType: 'timestamp-nanos' },      -1,                    -1n],
  [{ type: 'long', logicalType: 'local-timestamp-micros' }, 5,                   5n],
  [{ type: 'string', logicalType: 'uuid' },               'F79C3E09-677C-4BBD-A479-3F349CB785E7', 'f79c3e09-677c-4bbd-a479-3f349cb785e7'],
  [{ type: 'fixed', name: 'F', size: 16, logicalType: 'uuid' }, latin1(...Array(16).keys()), '00010203-0405-0607-0809-0a0b0c0d0e0f'],
];
for (const [type, value, row] of values) {
  const name = `${JSON.stringify(type)}: ${JSON.stringify(value)}`;
  test(`a row of ${name}`, async () => {
    const { columns, failures } = await rowsOf([{ name: 'c', type }], [{ c: value }]);
    assert.deepEqual(failures, []);
    assert.deepEqual(columns[0], [row]);
  });
  test(`the same through a transform that changes nothing: ${name}`, async () => {
    const { columns, failures } = await rowsOf([{ name: 'c', type }], [{ c: value }], identity);
    assert.deepEqual(failures, []);
    assert.deepEqual(columns[0], [row]);
  });
}

// biome-ignore format: a table
const failing: readonly [type: unknown, value: unknown, message: RegExp][] = [
  [{ type: 'bytes', logicalType: 'decimal', precision: 2, scale: 0 }, latin1(0, 100), /^convert: a\.c: a decimal has more digits than decimal\(2, 0\)$/],
  [{ type: 'bytes', logicalType: 'decimal', precision: 2, scale: 0 }, latin1(...Array(100_000).fill(1)), /^convert: a\.c: a decimal has more digits/],
  [{ type: 'int', logicalType: 'time-millis' },           86_400_000,            /^convert: a\.c: 86400000 is no time of a day$/],
  [{ type: 'string', logicalType: 'uuid' },               'x',                   /^convert: a\.c: "x" is no uuid$/],
  [{ type: 'long', logicalType: 'timestamp-millis' },     '9223372036854775807', /^convert: a\.c: a timestamp is out of range$/],
];
for (const [type, value, message] of failing)
  test(`no row of ${JSON.stringify(type)}: ${JSON.stringify(value).slice(0, 50)}`, async () => {
    const fields = [{ name: 'a', type: { type: 'record', name: 'I', fields: [{ name: 'c', type }] } }];
    for (const more of [{}, identity]) {
      const { failures, recordAt } = await rowsOf(fields, [{ a: { c: value } }], more);
      assert.deepEqual(recordAt, []);
      assert.match(`${failures[0]!.step}: ${failures[0]!.message}`, message);
    }
  });

test('a payload that does not fit its schema', async () => {
  const payloads = [Buffer.alloc(0), Buffer.from([2]), Buffer.from([1, 0]), Buffer.from([0, 0])];
  const { failures, recordAt } = await rowsOf([{ name: 'c', type: 'string' }], payloads);
  assert.deepEqual(recordAt, []);
  assert.equal(failures.length, 4);
  for (const { step, message } of failures)
    assert.match(`${step}: ${message}`, /^decode: the value does not fit its Avro schema: /);
});

test('a few bytes cannot stand for many rows', async () => {
  const empty = {
    type: 'record',
    name: 'N',
    fields: [{ name: 'n', type: { type: 'array', items: ['null', 'int'] } }],
  };
  // A list of 2^40 items, of which there is none.
  const hostile = Buffer.from([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02]);
  const { failures } = await rowsOf([{ name: 'c', type: empty }], [hostile]);
  assert.match(failures[0]!.message, /^the value does not fit its Avro schema: /);
});

test('a transform computes with values of Avro', async () => {
  const fields = [
    { name: 'price', type: { type: 'bytes', logicalType: 'decimal', precision: 9, scale: 2 } },
    { name: 'name', type: ['null', 'string'] },
    { name: 'id', type: 'long' },
  ];
  const { columns, failures } = await rowsOf(
    fields,
    [{ price: latin1(0, 200), name: { string: 'x' }, id: '9223372036854775807' }],
    { transforms: [{ transform_type: 'bento', transform: 'root.name = this.name + this.price' }] },
  );
  assert.deepEqual(failures, []);
  assert.deepEqual(columns.slice(0, 3), [[200n], ['x2.00'], [9223372036854775807n]]);
});

test('longs, decimals and texts come back as they were written', async () => {
  const fields = [
    { name: 'l', type: 'long' },
    { name: 'd', type: { type: 'bytes', logicalType: 'decimal', precision: 38, scale: 10 } },
    { name: 's', type: ['null', 'string'] },
  ];
  const text = schemaOf(fields);
  const encode = encoder(text);
  const definition = await tableOf({ source_format: 'avro', input_schema: text });
  const through = await tableOf({ source_format: 'avro', input_schema: text, ...identity });
  await fc.assert(
    fc.asyncProperty(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }),
      fc.option(fc.string({ unit: 'grapheme' })),
      async (l, d, s) => {
        const bytes = Buffer.from(BigInt.asUintN(136, d).toString(16).padStart(34, '0'), 'hex').toString(
          'latin1',
        );
        const record = recordOf(encode({ l: String(l), d: bytes, s: s === null ? null : { string: s } }));
        for (const table of [definition, through]) {
          const { columns, failures } = await table.openRows(noRegistry).read([record]);
          assert.deepEqual([failures, columns.slice(0, 3)], [[], [[l], [d], [s]]]);
        }
      },
    ),
    { numRuns: 200 },
  );
});
