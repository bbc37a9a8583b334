import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { MiB } from '@weir/core';
import { parsePrimitive, type Type, type Value } from '@weir/iceberg';
import { DuckDbWriter } from './duckdb-writer.ts';
import type { Column, RowValue } from './parquet-writer.ts';

async function writerFor(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'parquet-'));
  const writer = new DuckDbWriter({
    directory,
    memoryBytesMax: 64 * MiB,
    spillBytesMax: 64 * MiB,
  });
  t.after(async () => {
    await writer.close();
    await rm(directory, { recursive: true, force: true });
  });
  return { writer };
}

async function write(
  writer: DuckDbWriter,
  columns: readonly Column[],
  batch: readonly (readonly RowValue[])[],
) {
  const file = await writer.open(columns);
  await file.append(batch);
  return await file.finish();
}

const reader = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
await reader.run("SET TimeZone = 'UTC'");

async function query(sql: string): Promise<unknown[][]> {
  return (await reader.runAndReadAll(sql)).getRowsJson();
}

const optional = (id: number, name: string, type: Type): Column => ({ id, name, isRequired: false, type });
const primitive = (text: string) => parsePrimitive(text, 'test');
const bytes = (...values: number[]) => Uint8Array.from(values);
const uuid = (digit: string) => `${digit}1111111-2222-3333-4444-555555555555`;

interface TypeCase {
  readonly type: string;
  readonly values: readonly Value[];
  /** As DuckDB prints them. */
  readonly read: readonly string[];
  /** The physical type in the footer. */
  readonly stored: string;
  readonly least: Value;
  readonly greatest: Value;
  readonly nanCount?: number;
}

const typeCases: readonly TypeCase[] = [
  {
    type: 'boolean',
    values: [true, false],
    read: ['true', 'false'],
    stored: 'BOOLEAN',
    least: false,
    greatest: true,
  },
  {
    type: 'int',
    values: [7, -(2 ** 31), 2 ** 31 - 1],
    read: ['7', '-2147483648', '2147483647'],
    stored: 'INT32',
    least: -(2 ** 31),
    greatest: 2 ** 31 - 1,
  },
  {
    type: 'long',
    values: [-(2n ** 63n), 2n ** 63n - 1n],
    read: ['-9223372036854775808', '9223372036854775807'],
    stored: 'INT64',
    least: -(2n ** 63n),
    greatest: 2n ** 63n - 1n,
  },
  {
    type: 'float',
    values: [1.5, Number.NaN, -2],
    read: ['1.5', 'nan', '-2.0'],
    stored: 'FLOAT',
    least: -2,
    greatest: 1.5,
    nanCount: 1,
  },
  {
    type: 'double',
    values: [0, Number.NaN, Number.NaN],
    read: ['0.0', 'nan', 'nan'],
    stored: 'DOUBLE',
    least: -0,
    greatest: 0,
    nanCount: 2,
  },
  {
    type: 'double',
    values: [-0, Number.POSITIVE_INFINITY],
    read: ['-0.0', 'inf'],
    stored: 'DOUBLE',
    least: -0,
    greatest: Number.POSITIVE_INFINITY,
    nanCount: 0,
  },
  {
    type: 'double',
    values: [-3, -0],
    read: ['-3.0', '-0.0'],
    stored: 'DOUBLE',
    least: -3,
    greatest: 0,
    nanCount: 0,
  },
  {
    type: 'decimal(9, 2)',
    values: [-12345n, 5n],
    read: ['-123.45', '0.05'],
    stored: 'INT32',
    least: -12345n,
    greatest: 5n,
  },
  {
    type: 'decimal(18, 0)',
    values: [10n ** 18n - 1n, 0n],
    read: ['999999999999999999', '0'],
    stored: 'INT64',
    least: 0n,
    greatest: 10n ** 18n - 1n,
  },
  {
    type: 'decimal(38, 10)',
    values: [1n - 10n ** 38n, 1n],
    read: ['-9999999999999999999999999999.9999999999', '0.0000000001'],
    stored: 'FIXED_LEN_BYTE_ARRAY',
    least: 1n - 10n ** 38n,
    greatest: 1n,
  },
  {
    type: 'date',
    values: [-1, 20_000],
    read: ['1969-12-31', '2024-10-04'],
    stored: 'INT32',
    least: -1,
    greatest: 20_000,
  },
  {
    type: 'time',
    values: [0n, 86_399_999_999n],
    read: ['00:00:00', '23:59:59.999999'],
    stored: 'INT64',
    least: 0n,
    greatest: 86_399_999_999n,
  },
  {
    type: 'timestamp',
    values: [-1n, 1_700_000_000_123_456n],
    read: ['1969-12-31 23:59:59.999999', '2023-11-14 22:13:20.123456'],
    stored: 'INT64',
    least: -1n,
    greatest: 1_700_000_000_123_456n,
  },
  {
    type: 'timestamptz',
    values: [-1n, 1_700_000_000_123_456n],
    read: ['1969-12-31 23:59:59.999999+00', '2023-11-14 22:13:20.123456+00'],
    stored: 'INT64',
    least: -1n,
    greatest: 1_700_000_000_123_456n,
  },
  // In UTF-16 units U+1F600 is before U+FF5E.
  {
    type: 'string',
    values: ['\u{ff5e}', '\u{1f600}', 'a\u0000b', ''],
    read: ['\u{ff5e}', '\u{1f600}', 'a\u0000b', ''],
    stored: 'BYTE_ARRAY',
    least: '',
    greatest: '\u{1f600}',
  },
  {
    type: 'uuid',
    values: [uuid('f'), uuid('0')],
    read: [uuid('f'), uuid('0')],
    stored: 'FIXED_LEN_BYTE_ARRAY',
    least: uuid('0'),
    greatest: uuid('f'),
  },
  {
    type: 'fixed[2]',
    values: [bytes(0xff, 0), bytes(1, 2)],
    read: ['\\xFF\\x00', '\\x01\\x02'],
    stored: 'BYTE_ARRAY',
    least: bytes(1, 2),
    greatest: bytes(0xff, 0),
  },
  {
    type: 'binary',
    values: [bytes(), bytes(0x80), bytes(0x7f, 1)],
    read: ['', '\\x80', '\\x7F\\x01'],
    stored: 'BYTE_ARRAY',
    least: bytes(),
    greatest: bytes(0x80),
  },
];

test('every primitive type is read as it was written, with its metrics', async (t) => {
  const { writer } = await writerFor(t);
  for (const { type, values, read, stored, least, greatest, nanCount } of typeCases) {
    const written = await write(writer, [optional(42, 'v', primitive(type))], [[...values, null]]);
    const rows = await query(`SELECT v::VARCHAR FROM '${written.path}'`);
    assert.deepEqual(rows.flat(), [...read, null], type);
    const footer = await query(
      `SELECT type, field_id::INT FROM parquet_schema('${written.path}') WHERE name = 'v'`,
    );
    assert.deepEqual(footer, [[stored, 42]], type);
    const { bytes: columnBytes, ...metrics } = written.columns.get(42)!;
    assert.ok(columnBytes! > 0 && columnBytes! < written.fileBytes, type);
    assert.equal(written.recordCount, values.length + 1);
    // A `Buffer` is no plain array of bytes to the comparison.
    const plain = (value: Value | undefined) => (value instanceof Uint8Array ? [...value] : value);
    assert.deepEqual(
      { ...metrics, least: plain(metrics.least), greatest: plain(metrics.greatest) },
      {
        valueCount: values.length + 1,
        nullCount: 1,
        nanCount,
        least: plain(least),
        greatest: plain(greatest),
      },
      type,
    );
    assert.ok(Object.is(metrics.least, least) || typeof least !== 'number', `${type}: the sign of zero`);
  }
});

const nested: readonly Column[] = [
  optional(1, 'user', {
    kind: 'struct',
    columns: [optional(2, 'name', primitive('string')), optional(3, 'Name', primitive('double'))],
  }),
  optional(4, 'tags', { kind: 'list', elementId: 5, isElementRequired: false, element: primitive('float') }),
  optional(6, 'counts', {
    kind: 'map',
    keyId: 7,
    key: primitive('string'),
    valueId: 8,
    isValueRequired: false,
    value: {
      kind: 'struct',
      columns: [optional(9, 'o\'x"y', primitive('long')), optional(10, '7', primitive('int'))],
    },
  }),
  optional(11, 'USER', primitive('int')),
  optional(12, '__duckdb_field_id', primitive('int')),
];

test('structs, lists and maps are read as they were written, with ids on every level', async (t) => {
  const { writer } = await writerFor(t);
  const written = await write(writer, nested, [
    [['ann', 1.5], ['bob', Number.NaN], null],
    [[1, null, Number.NaN], [], null],
    [
      [
        ['a', [1n, 10]],
        ['b', null],
      ],
      [],
      null,
    ],
    [1, 2, 3],
    [4, 5, 6],
  ]);
  assert.deepEqual(
    await query(`SELECT "user"::VARCHAR, tags::VARCHAR, counts::VARCHAR, "USER_11" FROM '${written.path}'`),
    [
      ["{'name': ann, 'Name_3': 1.5}", '[1.0, NULL, nan]', "{a={'o\\'x\"y': 1, '7_10': 10}, b=NULL}", 1],
      ["{'name': bob, 'Name_3': nan}", '[]', '{}', 2],
      [null, null, null, 3],
    ],
  );
  const ids = await query(
    `SELECT field_id::INT FROM parquet_schema('${written.path}') WHERE field_id IS NOT NULL`,
  );
  assert.deepEqual(ids.flat(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  const metrics = [...written.columns].map(([id, { bytes: _, ...known }]) => [id, known]);
  const counted = (valueCount: number, nullCount: number, nanCount?: number) => ({
    valueCount,
    nullCount,
    nanCount,
  });
  assert.deepEqual(metrics, [
    [2, { ...counted(3, 1), least: 'ann', greatest: 'bob' }],
    [3, { ...counted(3, 1, 1), least: 1.5, greatest: 1.5 }],
    // An empty and a missing list are a value each, as in other writers.
    [5, { valueCount: 5, nanCount: 1 }],
    [7, { valueCount: 4, nanCount: undefined }],
    [9, { valueCount: 4, nanCount: undefined }],
    [10, { valueCount: 4, nanCount: undefined }],
    [11, { ...counted(3, 0), least: 1, greatest: 3 }],
    [12, { ...counted(3, 0), least: 4, greatest: 6 }],
  ]);
});

test('a file has row groups, whose offsets are known', async (t) => {
  const { writer } = await writerFor(t);
  const file = await writer.open([optional(1, 'n', primitive('int'))]);
  const batchRows = 16_384;
  for (let from = 0; from < 8 * batchRows; from += batchRows)
    await file.append([Array.from({ length: batchRows }, (_, at) => from + at)]);
  const written = await file.finish();
  const [magicBytes, second] = written.splitOffsets;
  assert.equal(written.splitOffsets.length, 2);
  assert.equal(magicBytes, 4);
  assert.ok(second! > 4 && second! < written.fileBytes);
  assert.deepEqual(await query(`SELECT count(*)::INT, max(n) FROM '${written.path}'`), [[131_072, 131_071]]);
});

const refused: readonly [type: string, value: RowValue, message: RegExp][] = [
  ['int', 2 ** 31, /column v: 2147483648 is no int$/],
  ['int', 1.5, /1\.5 is no int/],
  ['long', 2n ** 63n, /9223372036854775808 is no long/],
  ['long', 1, /1 is no long/],
  ['decimal(3, 1)', 1000n, /1000 is no decimal\(3, 1\)/],
  ['time', 86_400_000_000n, /is no time/],
  ['string', 1, /1 is no string/],
  ['uuid', 'x', /"x" is no uuid/],
  ['fixed[2]', bytes(1), /a value of 1 bytes is no fixed\[2\]/],
  ['int', null, /column v is required/],
];

test('a value of another type is refused, and the writer goes on', async (t) => {
  const { writer } = await writerFor(t);
  for (const [type, value, message] of refused) {
    const column: Column = { id: 1, name: 'v', isRequired: true, type: primitive(type) };
    const file = await writer.open([column]);
    await assert.rejects(file.append([[value]]), { name: 'InvalidRow', message });
    await assert.rejects(file.finish(), /failed before/);
    await file.abandon();
  }
  const written = await write(writer, [optional(1, 'n', primitive('int'))], [[1, 2]]);
  assert.equal(written.recordCount, 2);
});

test('files have the compression that was asked for, and several are open at once', async (t) => {
  const { writer } = await writerFor(t);
  const columns = [optional(1, 'n', primitive('int'))];
  const codecs = { zstd: 'ZSTD', snappy: 'SNAPPY', gzip: 'GZIP', none: 'UNCOMPRESSED' } as const;
  const open = await Promise.all(
    Object.keys(codecs).map(async (compression) => ({
      compression: compression as keyof typeof codecs,
      file: await writer.open(columns, { compression: compression as keyof typeof codecs }),
    })),
  );
  for (let batch = 0; batch < 3; batch++)
    for (const { file } of open) await file.append([Array.from({ length: 3000 }, () => batch)]);
  await Promise.all(
    open.map(async ({ compression, file }) => {
      const { path, recordCount } = await file.finish();
      assert.equal(recordCount, 9000);
      assert.deepEqual(await query(`SELECT DISTINCT compression FROM parquet_metadata('${path}')`), [
        [codecs[compression]],
      ]);
    }),
  );
});

test('files of the directory can be read, and no others', async (t) => {
  const { writer } = await writerFor(t);
  const { path } = await write(writer, [optional(1, 'n', primitive('int'))], [[1, 2]]);
  assert.deepEqual(await writer.read(path, 'n'), [[1], [2]]);
  await assert.rejects(writer.read('/etc/passwd', '*'), { name: 'ParquetWriteFailed' });
});
