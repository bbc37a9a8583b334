import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
} from '@duckdb/node-api';
import { MiB } from '@weir/core';
import { parsePrimitive } from '@weir/iceberg';
import fc from 'fast-check';
import { DuckDbWriter } from './duckdb-writer.ts';
import { chunkRowsMax } from './file-metrics.ts';
import type { Column, RowValue } from './parquet-writer.ts';

/** Texts around the length at which DuckDB keeps them elsewhere, of all widths of characters and halves of some. */
const texts = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 15 }) },
  fc.integer({ min: 10, max: 14 }).map((length) => 'x'.repeat(length)),
  fc.constantFrom('', '\ud83d', '\ude00', 'a\0b', '\0', 'ü'.repeat(6), 'ü'.repeat(7)),
);

const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const digits = (count: number) =>
  fc.bigInt({ min: -(10n ** BigInt(count)) + 1n, max: 10n ** BigInt(count) - 1n });

// biome-ignore format: a table
const columnCases: readonly [type: string, values: fc.Arbitrary<RowValue>][] = [
  ['boolean', fc.boolean()],
  ['int', fc.integer()],
  ['long', long],
  ['float', fc.float()],
  ['double', fc.double()],
  ['date', fc.integer({ min: -700_000, max: 700_000 })],
  ['time', fc.bigInt({ min: 0n, max: 86_399_999_999n })],
  ['timestamp', fc.bigInt({ min: -(10n ** 16n), max: 10n ** 16n })],
  ['timestamptz', fc.bigInt({ min: -(10n ** 16n), max: 10n ** 16n })],
  ['decimal(4, 1)', digits(4)],
  ['decimal(9, 2)', digits(9)],
  ['decimal(18, 0)', digits(18)],
  ['decimal(38, 9)', digits(38)],
  ['string', texts],
];

const columns = columnCases.map(
  ([type], at): Column => ({
    id: at + 1,
    name: `c${at}`,
    isRequired: false,
    type: parsePrimitive(type, 'test'),
  }),
);

async function openWriter(t: TestContext): Promise<DuckDbWriter> {
  const directory = await mkdtemp(join(tmpdir(), 'vectors-'));
  const writer = new DuckDbWriter({ directory, memoryBytesMax: 256 * MiB, spillBytesMax: 256 * MiB });
  t.after(async () => {
    await writer.close();
    await rm(directory, { recursive: true, force: true });
  });
  return writer;
}

/** Values that are written, read again as those of the port. */
async function readAgain(
  writer: DuckDbWriter,
  columnsOfFile: readonly Column[],
  batches: readonly (readonly (readonly RowValue[])[])[],
) {
  const file = await writer.open(columnsOfFile);
  for (const batch of batches) await file.append(batch);
  const { path } = await file.finish();
  const rows = await writer.read(path, columnsOfFile.map(({ name }) => name).join(', '));
  await rm(path);
  return rows.map((row) => row.map(plain));
}

function plain(value: unknown): unknown {
  if (value instanceof DuckDBDateValue) return value.days;
  if (value instanceof DuckDBDecimalValue) return value.value;
  const isTime =
    value instanceof DuckDBTimeValue ||
    value instanceof DuckDBTimestampValue ||
    value instanceof DuckDBTimestampTZValue;
  return isTime ? value.micros : value;
}

/** Halves of characters have no bytes in UTF-8. */
const stored = (value: RowValue) => (typeof value === 'string' ? value.toWellFormed() : value);

test('values and nulls of all types are read as they were written, over the edges of chunks', async (t) => {
  const writer = await openWriter(t);
  const row = fc.tuple(...columnCases.map(([, values]) => fc.option(values, { freq: 4 })));
  const sizes = fc.array(fc.constantFrom(1, 7, 64, 65, chunkRowsMax - 1, chunkRowsMax, chunkRowsMax + 3), {
    minLength: 1,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 80 }), sizes, async (rows, counts) => {
      const all = counts.map((count) => Array.from({ length: count }, (_, at) => rows[at % rows.length]!));
      const batches = all.map((some) => columns.map((_, at) => some.map((values) => values[at] as RowValue)));
      const found = await readAgain(writer, columns, batches);
      assert.deepEqual(
        found,
        all.flat().map((values) => values.map((value) => stored(value as RowValue))),
      );
    }),
    { numRuns: 40 },
  );
});

test('texts that are too long to be put together are written one by one', async (t) => {
  const writer = await openWriter(t);
  const values = ['first', null, 'ü'.repeat(3 * MiB), 'x'.repeat(3 * MiB), '', 'y'.repeat(3 * MiB), 'last'];
  const column: Column = { id: 1, name: 'c', isRequired: false, type: { kind: 'string' } };
  const found = await readAgain(writer, [column], [[values]]);
  assert.deepEqual(found.flat(), values);
});

test('halves of a character in two rows stay two', async (t) => {
  const writer = await openWriter(t);
  const column: Column = { id: 1, name: 'c', isRequired: false, type: { kind: 'string' } };
  const found = await readAgain(writer, [column], [[['a long text that ends with \ud83d', '\ude00 begins']]]);
  assert.deepEqual(found.flat(), ['a long text that ends with \ufffd', '\ufffd begins']);
});
