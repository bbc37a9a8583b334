import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonTable, noRegistry, recordOf, tableOf } from '../../testing/records.ts';
import { tableLimits } from '../limits.ts';
import type { TableDefinition } from '../table-definition.ts';

/** The value of the first column of a record, or what is wrong with it. */
async function firstValue(definition: TableDefinition, json: string | Uint8Array): Promise<unknown> {
  const { columns, failures } = await definition.openRows(noRegistry).read([recordOf(json)]);
  const [failure] = failures;
  return failure === undefined ? columns[0]![0] : `${failure.step}: ${failure.message}`;
}

const text = { type: 'string' };
const long = { type: 'long' };
const int = { type: 'integer', format: 'int32' };
const double = { type: 'number' };
const float = { type: 'number', format: 'float' };
const decimal = { type: 'number', format: 'decimal(9,2)' };
const wide = { type: 'string', format: 'decimal(38,10)' };
const timestamp = { type: 'string', format: 'date-time' };
const local = { type: 'string', format: 'local-date-time' };
const micros = { type: 'integer', format: 'timestamp-micros' };
const seconds = { type: 'integer', format: 'unix-time' };
const date = { type: 'string', format: 'date' };
const time = { type: 'string', format: 'time' };
const uuid = { type: 'string', format: 'uuid' };
const binary = { type: 'string', contentEncoding: 'base64' };
const list = { type: 'array', items: { type: 'long' } };
const map = { type: 'object', additionalProperties: { type: ['number', 'null'], format: 'decimal(9,2)' } };
const struct = { properties: { a: { type: 'long' }, b: { properties: { c: text } } }, required: ['a'] };

// biome-ignore format: a table
const conversions: readonly [schema: object, json: string, value: unknown][] = [
  [text,      '"a"',                               'a'],
  [text,      '"ä😀"',                             'ä😀'],
  [text,      String.raw`"\u0000n1"`,              '\u0000n1'],
  [text,      String.raw`"\u0000"`,                '\u0000'],
  [text,      'null',                              null],
  [text,      '1',                                 'convert: c: 1 is no string'],
  [text,      '12345678901234567890',              'convert: c: 12345678901234567890 is no string'],
  [text,      '{}',                                'convert: c: an object is no string'],
  [text,      String.raw`"\ud800"`,                'convert: c: "\\ud800" has half of a surrogate pair, which is no text'],
  [long,      '9007199254740993',                  9007199254740993n],
  [long,      ' -9223372036854775808 ',            -9223372036854775808n],
  [long,      '9223372036854775807',               9223372036854775807n],
  [long,      '9223372036854775808',               'convert: c: 9223372036854775808 is out of the range of a long'],
  [long,      '-9223372036854775809',              'convert: c: -9223372036854775809 is out of the range of a long'],
  [long,      '"9223372036854775807"',             9223372036854775807n],
  [long,      '"9223372036854775808"',             'convert: c: "9223372036854775808" is out of the range of a long'],
  [long,      '1e3',                               1000n],
  [long,      '1.0',                               1n],
  [long,      '1e400',                             'convert: c: Infinity is no long'],
  [long,      '1.5',                               'convert: c: 1.5 is no long'],
  [long,      '"a"',                               'convert: c: "a" is no long'],
  [long,      'true',                              'convert: c: true is no long'],
  [int,       '2147483647',                        2147483647],
  [int,       '-0',                                0],
  [int,       '2147483648',                        'convert: c: 2147483648 is out of the range of an int'],
  [int,       '"1"',                               'convert: c: "1" is no int'],
  [double,    '0.1',                               0.1],
  [double,    '-0',                                -0],
  [double,    '12345678901234567890',              12345678901234567000],
  [double,    '"NaN"',                             Number.NaN],
  [double,    '1e400',                             'convert: c: Infinity is out of the range of a double'],
  [double,    '"1"',                               'convert: c: "1" is no double'],
  [float,     '0.1',                               Math.fround(0.1)],
  [float,     '1e39',                              'convert: c: 1e+39 is out of the range of a float'],
  [decimal,   '12.5',                              1250n],
  [decimal,   '-0.07',                             -7n],
  [decimal,   '1234567.89',                        123456789n],
  [decimal,   '"12.50"',                           1250n],
  [decimal,   '12.500000000000000000000',          1250n],
  [decimal,   '1e2',                               10000n],
  [decimal,   '0',                                 0n],
  [decimal,   '0e-400',                            0n],
  [decimal,   '12345678.9',                        'convert: c: 12345678.9 has more digits than decimal(9, 2)'],
  [decimal,   '12.345',                            'convert: c: 12.345 has more digits after the point than decimal(9, 2)'],
  [decimal,   '0.1000000000000000055511151231257827', 'convert: c: 0.1000000000000000055511151231257827 has more digits after the point than decimal(9, 2)'],
  [decimal,   '1e-400',                            'convert: c: 1e-400 has more digits after the point than decimal(9, 2)'],
  [decimal,   '1e400',                             'convert: c: Infinity is no decimal(9, 2)'],
  [decimal,   '"1e999999"',                        'convert: c: "1e999999" has more digits than decimal(9, 2)'],
  [decimal,   '"12,5"',                            'convert: c: "12,5" is no decimal(9, 2)'],
  [wide,      '9999999999999999999999999999.9999999999', 99999999999999999999999999999999999999n],
  [wide,      '"-9999999999999999999999999999.9999999999"', -99999999999999999999999999999999999999n],
  [wide,      '10000000000000000000000000000',     'convert: c: 10000000000000000000000000000 has more digits than decimal(38, 10)'],
  [timestamp, '"2024-02-29T23:59:59.123456789Z"',  1709251199123456n],
  [timestamp, '"2024-02-29 23:59:59+02:00"',       1709243999000000n],
  [timestamp, '"1969-12-31T23:59:59.999999Z"',     -1n],
  [timestamp, '"0001-01-01T00:00:00Z"',            -62135596800000000n],
  [timestamp, '"9999-12-31T23:59:59.999999Z"',     253402300799999999n],
  [timestamp, '1700000000123',                     1700000000123000n],
  [timestamp, '"2023-02-29T00:00:00Z"',            'convert: c: "2023-02-29T00:00:00Z" is no timestamptz'],
  [timestamp, '"2024-01-01T24:00:00Z"',            'convert: c: "2024-01-01T24:00:00Z" is no timestamptz'],
  [timestamp, '"2024-01-01T00:00:00"',             'convert: c: "2024-01-01T00:00:00" has no offset from UTC; add one, such as Z'],
  [timestamp, '"2024-01-01"',                      'convert: c: "2024-01-01" is no timestamptz'],
  [timestamp, '1.5',                               'convert: c: 1.5 is no timestamptz'],
  [timestamp, '9223372036854775807',               'convert: c: 9223372036854775807 is out of the range of a timestamptz'],
  [local,     '"2024-02-29T23:59:59.5"',           1709251199500000n],
  [local,     '"2024-02-29T23:59:59Z"',            'convert: c: "2024-02-29T23:59:59Z" has an offset from UTC'],
  [micros,    '1700000000123456',                  1700000000123456n],
  [seconds,   '1700000000',                        1700000000000000n],
  [date,      '"1969-12-31"',                      -1],
  [date,      '19000',                             19000],
  [date,      '"2024-13-01"',                      'convert: c: "2024-13-01" is no date'],
  [time,      '"23:59:59.000001"',                 86399000001n],
  [time,      '"12:00:00Z"',                       43200000000n],
  [time,      '"12:00"',                           'convert: c: "12:00" is no time'],
  [uuid,      '"F79C3E09-677C-4BBD-A479-3F349CB785E7"', 'f79c3e09-677c-4bbd-a479-3f349cb785e7'],
  [uuid,      '"f79c3e09677c4bbda4793f349cb785e7"', 'convert: c: "f79c3e09677c4bbda4793f349cb785e7" is no uuid'],
  [binary,    '"AAEC"',                            Buffer.from([0, 1, 2])],
  [binary,    '""',                                Buffer.alloc(0)],
  [binary,    '"AAE"',                             'convert: c: "AAE" is no binary in base64'],
  [list,      '[1,9007199254740993]',              [1n, 9007199254740993n]],
  [list,      '[]',                                []],
  [list,      '[null]',                            'convert: c.element: is required, and there is no value'],
  [list,      '1',                                 'convert: c: 1 is no list'],
  [map,       '{"a":1.5,"__proto__":null}',        [['a', 150n], ['__proto__', null]]],
  [map,       '{"a":1.555}',                       'convert: c.value: 1.555 has more digits after the point than decimal(9, 2)'],
  [map,       '[]',                                'convert: c: an array is no map'],
  [struct,    '{"a":1,"x":2}',                     [1n, null]],
  [struct,    '{"a":1,"b":{"c":"d"}}',             [1n, ['d']]],
  [struct,    '{"b":{}}',                          'convert: c.a: is required, and there is no value'],
  [struct,    '{"a":1,"b":{"c":1}}',               'convert: c.b.c: 1 is no string'],
];
for (const [schema, json, value] of conversions)
  test(`${JSON.stringify(schema)}: ${json}`, async () => {
    assert.deepEqual(await firstValue(await jsonTable({ c: schema }), `{"c":${json}}`), value);
  });

test('a row has a value for each column, and says which record it is', async () => {
  const definition = await jsonTable({ a: long, b: text });
  const result = await definition
    .openRows(noRegistry)
    .read([
      recordOf('{"a":1,"b":"x","other":[{}]}', { partition: 3, offset: 7n, timestampMs: 1_700_000_000_123 }),
      recordOf('{"a":1,"b":2}', { offset: 8n }),
      recordOf(null, { offset: 9n }),
      recordOf('{"b":"y"}', { offset: 10n }),
      recordOf('{', { offset: 11n }),
    ]);
  assert.deepEqual(result.columns, [
    [1n, null],
    ['x', 'y'],
    [3, 0],
    [7n, 10n],
    [1_700_000_000_123_000n, 1_700_000_000_000_000n],
  ]);
  assert.deepEqual(result.recordAt, [0, 3]);
  assert.deepEqual(result.failures, [
    { at: 1, step: 'convert', message: 'b: 2 is no string' },
    { at: 4, step: 'decode', message: "the value is no JSON: Expected property name or '}'" },
  ]);
  assert.equal(result.droppedCount, 1);
  assert.ok(result.bytes > 40 && result.bytes < 100, String(result.bytes));
});

test('a timestamp of a record that no table can have', async () => {
  const definition = await jsonTable({ a: long });
  const stamps = [-1, 9_000_000_000_001, 2 ** 62, Number.NaN];
  const { columns, failures } = await definition
    .openRows(noRegistry)
    .read(stamps.map((timestampMs) => recordOf('{}', { timestampMs })));
  assert.deepEqual(columns[3], [-1000n, 9_000_000_000_001_000n]);
  assert.deepEqual(
    failures.map(({ at, message }) => `${at} ${message}`),
    [
      '2 kafka_timestamp: 4611686018427388000 is out of the range of a timestamptz',
      '3 kafka_timestamp: NaN is out of the range of a timestamptz',
    ],
  );
});

test('fields that every object has are no values', async () => {
  const definition = await jsonTable({ toString: text, __proto__: text, constructor: text });
  assert.deepEqual(await firstValue(definition, '{}'), null);
  assert.deepEqual(await firstValue(definition, '{"toString":"a"}'), 'a');
});

// biome-ignore format: a table
const noRows: readonly [what: string, value: string | Uint8Array, failure: RegExp][] = [
  ['nothing',          '',                                    /^decode: the value is no JSON: Unexpected end/],
  ['no UTF-8',         Uint8Array.of(0x7b, 0x22, 0xff, 0x22), /^decode: the value is no JSON: it is not UTF-8$/],
  ['a list',           '[1]',                                 /^convert: the record is an array, and only an object can be a row$/],
  ['a number',         '1',                                   /^convert: the record is 1, and only an object can be a row$/],
  ['null',             'null',                                /^convert: the record is null, and only an object can be a row$/],
  ['a tail',           '{"c":1} x',                           /^decode: the value is no JSON: /],
  ['depth',            `{"c":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, /^convert: c: an array is no long$/],
  ['half of depth',    `{"c":${'['.repeat(200_000)}`,         /^decode: the value is no JSON: /],
  ['a huge number',    `{"c":${'9'.repeat(1_000_000)}}`,      /^convert: c: 9{50} is out of the range of a long$/],
  ['a huge fraction',  `{"c":0.${'9'.repeat(1_000_000)}}`,    /^convert: c: 0\.9{48} is /],
  ['a huge text',      `{"c":"${'9'.repeat(1_000_000)}"}`,    /^convert: c: "9{50}…" is no long$/],
];
for (const [what, value, failure] of noRows)
  test(`${what}: no row`, async () =>
    assert.match(String(await firstValue(await jsonTable({ c: long }), value)), failure));

test('a row over the limit fails, also one that grows by a transform', async () => {
  const large = JSON.stringify({ c: 'x'.repeat(tableLimits.rowBytesMax) });
  const expected = new RegExp(
    `^size: the row has about \\d+ bytes; ${tableLimits.rowBytesMax} are possible$`,
  );
  assert.match(String(await firstValue(await jsonTable({ c: text }), large)), expected);
  // What is no column does not count.
  assert.equal(await firstValue(await jsonTable({ d: text }), large), null);
});

const transformed = (...mappings: string[]) => ({
  transforms: mappings.map((transform) => ({ transform_type: 'bento', transform })),
});

test('transforms run in their order, before the projection, over what was there', async () => {
  const definition = await jsonTable(
    { a: text, b: long, kept: text },
    transformed(
      'root.a = this.payload.after.a.uppercase()',
      'root.b = this.a.length()\nroot.payload = deleted()',
    ),
  );
  const { columns } = await definition
    .openRows(noRegistry)
    .read([recordOf('{"payload":{"after":{"a":"abc"}},"kept":"x"}')]);
  assert.deepEqual(columns.slice(0, 3), [['ABC'], [3n], ['x']]);
});

test('a transform that deletes root drops the record, and one that fails says which', async () => {
  const definition = await jsonTable(
    { a: long },
    transformed(
      'root.a = this.a',
      'root = if this.a == 2 { deleted() } else { this }',
      'root.a = this.a + 1',
    ),
  );
  const { columns, droppedCount, failures, recordAt } = await definition
    .openRows(noRegistry)
    .read(['{"a":1}', '{"a":2}', '{"a":"x"}', '[', '{"a":9007199254740993}'].map((json) => recordOf(json)));
  assert.deepEqual(columns[0], [2n, 9007199254740994n]);
  assert.deepEqual(recordAt, [0, 4]);
  assert.equal(droppedCount, 1);
  assert.deepEqual(
    failures.map(({ at, step, message }) => `${at} ${step}: ${message.slice(0, 60)}`),
    [
      '2 transform: failed to apply bento transform at index 2: failed assignmen',
      '3 decode: parse as json: unexpected EOF',
    ],
  );
});

test('what mappings have and JSON does not becomes values of columns', async () => {
  const definition = await jsonTable(
    { at: timestamp, raw: binary, n: double, whole: long, price: decimal },
    transformed(
      'root.at = this.s.ts_parse("2006-01-02T15:04:05Z07:00")\nroot.raw = "abc".bytes()\nroot.n = 2.0 * 3\nroot.whole = 7.0\nroot.price = 1.5 + 1',
    ),
  );
  const { columns, failures } = await definition
    .openRows(noRegistry)
    .read([recordOf('{"s":"2024-01-01T00:00:00+01:00"}')]);
  assert.deepEqual(failures, []);
  assert.deepEqual(columns.slice(0, 5), [[1704063600000000n], [Buffer.from('abc')], [6], [7n], [250n]]);
});

test('columns that are listed, without a schema', async () => {
  const definition = await tableOf({
    schema: {
      fields: [
        { name: 'a', type: 'float' },
        { name: 'b', type: 'timestamptz' },
      ],
    },
  });
  assert.deepEqual(await firstValue(definition, '{"a":0.5,"b":1}'), 0.5);
});

test('an id of a schema before the JSON is skipped', async () => {
  const definition = await jsonTable({ c: long }, { wire_format: 'schema_registry' });
  const framed = Buffer.concat([Buffer.from([0, 0, 0, 0, 9]), Buffer.from('{"c":1}')]);
  assert.equal(await firstValue(definition, framed), 1n);
  assert.match(
    String(await firstValue(definition, '{"c":1}')),
    /^decode: the value names no schema; it has to begin/,
  );
});

test('longs are exact or fail, whatever stands around them', async () => {
  const definition = await jsonTable({ c: long, other: text, n: double, more: list });
  const rows = definition.openRows(noRegistry);
  await fc.assert(
    fc.asyncProperty(
      fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }),
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { maxLength: 4 }),
      fc.boolean(),
      async (c, other, n, more, isSpaced) => {
        const space = isSpaced ? ' \n' : '';
        const json = `{"other":${space}${JSON.stringify(other)},"c"${space}:${space}${c}${space},"n":${JSON.stringify(n)},"more":[${more}]}`;
        const { columns, failures } = await rows.read([recordOf(json)]);
        const isLong = BigInt.asIntN(64, c) === c;
        const isText = other.isWellFormed();
        assert.equal(failures.length, isLong && isText ? 0 : 1);
        if (failures.length === 0)
          assert.deepEqual(columns.slice(0, 4), [[c], [other], [Object.is(n, -0) ? 0 : n], [more]]);
      },
    ),
    { numRuns: 300 },
  );
});

test('decimals are exact or fail', async () => {
  const definition = await jsonTable({ c: { type: 'number', format: 'decimal(20,6)' } });
  const rows = definition.openRows(noRegistry);
  await fc.assert(
    fc.asyncProperty(
      fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }),
      fc.integer({ min: 0, max: 24 }),
      fc.boolean(),
      async (digits, scale, isQuoted) => {
        const absolute = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
        const point = absolute.length - scale;
        const number = `${digits < 0n ? '-' : ''}${absolute.slice(0, point)}${scale > 0 ? `.${absolute.slice(point)}` : ''}`;
        const { columns, failures } = await rows.read([
          recordOf(`{"c":${isQuoted ? `"${number}"` : number}}`),
        ]);
        // The value times a power of ten that makes all an integer.
        const unscaled = digits * 10n ** 24n;
        const factor = 10n ** BigInt(scale + 24 - 6);
        const isExact = unscaled % factor === 0n;
        const value = unscaled / factor;
        const fits = isExact && value < 10n ** 20n && value > -(10n ** 20n);
        if (fits) assert.deepEqual([failures, columns[0]], [[], [value]]);
        else assert.equal(failures.length, 1, number);
      },
    ),
    { numRuns: 500 },
  );
});

test('timestamps are those of Date', async () => {
  const definition = await jsonTable({ c: timestamp });
  const rows = definition.openRows(noRegistry);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), async (atMs) => {
      const { columns } = await rows.read([recordOf(JSON.stringify({ c: new Date(atMs).toISOString() }))]);
      assert.deepEqual(columns[0], [BigInt(atMs) * 1000n]);
    }),
  );
});
