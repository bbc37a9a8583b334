/**
 * Values of primitive columns into vectors of DuckDB, a chunk at a time: one call of native code for a column, where
 * the vectors of its API make one for every text and an object for every time and decimal. Values are checked here,
 * because DuckDB would wrap or cut them.
 */
import duckdb, { type Vector } from '@duckdb/node-bindings';
import { MiB } from '@weir/core';
import type { PrimitiveType } from '@weir/iceberg';
import { refusal, type ValueCounts } from './duckdb-values.ts';
import { chunkRowsMax } from './file-metrics.ts';
import type { Column, RowValue } from './parquet-writer.ts';
import { InvalidRow } from './writer-errors.ts';

/** Puts the rows from `from` to `to` into a vector of as many. */
type VectorFill = (vector: Vector, values: readonly RowValue[], from: number, to: number) => void;

/** Values are put together here; nothing waits between this and the copy into a vector. */
const scratch = new ArrayBuffer(chunkRowsMax * 16);
const [int16s, int32s, int64s] = [
  new Int16Array(scratch),
  new Int32Array(scratch),
  new BigInt64Array(scratch),
];
const [float32s, float64s] = [new Float32Array(scratch), new Float64Array(scratch)];
const bytes = new Uint8Array(scratch);
const words = new Uint32Array(scratch);
const validity = new Uint8Array(chunkRowsMax / 8);

type Put = (row: number, value: never) => boolean;

/** How to fill the vectors of a column; `undefined` for columns that the API of DuckDB has to fill. */
export function vectorFillOf(column: Column, counts: ValueCounts): VectorFill | undefined {
  const { type, id } = column;
  switch (type.kind) {
    case 'boolean':
      // The size of a bool is the compiler's choice.
      if (duckdb.sizeof_bool !== 1) return undefined;
      return fixedFill(column, type, counts, 1, (row, value: boolean) => {
        bytes[row] = value ? 1 : 0;
        return typeof value === 'boolean';
      });
    case 'int':
    case 'date':
      return fixedFill(column, type, counts, 4, (row, value: number) => {
        if (typeof value !== 'number') return false;
        int32s[row] = value;
        return int32s[row] === value;
      });
    case 'long':
    case 'timestamp':
    case 'timestamptz':
      return fixedFill(column, type, counts, 8, (row, value: bigint) => {
        if (typeof value !== 'bigint') return false;
        int64s[row] = value;
        return int64s[row] === value;
      });
    case 'time':
      return fixedFill(column, type, counts, 8, (row, value: bigint) => {
        if (typeof value !== 'bigint' || value < 0n || value >= dayMicros) return false;
        int64s[row] = value;
        return true;
      });
    case 'float':
    case 'double': {
      counts.nans.set(id, 0);
      const target = type.kind === 'float' ? float32s : float64s;
      return fixedFill(column, type, counts, target.BYTES_PER_ELEMENT, (row, value: number) => {
        if (typeof value !== 'number') return false;
        target[row] = value;
        if (Number.isNaN(value)) counts.nans.set(id, counts.nans.get(id)! + 1);
        return true;
      });
    }
    case 'decimal':
      return decimalFill(column, type, counts);
    case 'string':
      return textFill(column, type, counts);
    default:
      return undefined;
  }
}

const dayMicros = 86_400_000_000n;

function fixedFill(
  column: Column,
  type: PrimitiveType,
  counts: ValueCounts,
  valueBytes: number,
  put: Put,
): VectorFill {
  return (vector, values, from, to) => {
    let nulls = 0;
    for (let row = from; row < to; row++) {
      const value = values[row];
      if (value === null || value === undefined) nulls = noteNull(column, row - from, nulls);
      else if (!put(row - from, value as never)) throw refusal(column.name, type, value);
    }
    const count = to - from;
    duckdb.copy_data_to_vector(vector, 0, scratch, 0, count * valueBytes);
    copyNulls(vector, count, nulls);
    counts.bytes += (count - nulls) * valueBytes;
  };
}

/** As many bytes as DuckDB has for the digits. Those that have more than 64 bits are left to its API. */
function decimalFill(
  column: Column,
  type: Extract<PrimitiveType, { kind: 'decimal' }>,
  counts: ValueCounts,
): VectorFill | undefined {
  const { precision } = type;
  const limit = 10n ** BigInt(precision);
  const isRight = (value: bigint) => typeof value === 'bigint' && value < limit && value > -limit;
  if (precision > 18) return undefined;
  if (precision > 9)
    return fixedFill(column, type, counts, 8, (row, value: bigint) => {
      if (!isRight(value)) return false;
      int64s[row] = value;
      return true;
    });
  const target = precision > 4 ? int32s : int16s;
  return fixedFill(column, type, counts, target.BYTES_PER_ELEMENT, (row, value: bigint) => {
    if (!isRight(value)) return false;
    target[row] = Number(value);
    return true;
  });
}

/** Texts of a chunk that are put together; those of more are handed over one by one. */
const joinedCharsMax = 8 * MiB;
/** Shorter ones are in the vector itself. */
const inlineBytesMax = 12;

/**
 * A text in a vector is 16 bytes, as `duckdb_string_t` of DuckDB's header: its length, and then either its bytes, or
 * its first four and where all of them are. All texts of a chunk are handed over as one, which DuckDB copies; the
 * others point into that copy, which lives as long as the vector does.
 */
function textFill(column: Column, type: PrimitiveType, counts: ValueCounts): VectorFill {
  return (vector, values, from, to) => {
    const count = to - from;
    let nulls = 0;
    let chars = 0;
    for (let row = from; row < to; row++) {
      const value = values[row];
      if (value === null || value === undefined) nulls = noteNull(column, row - from, nulls);
      else if (typeof value === 'string') chars += value.length;
      else throw refusal(column.name, type, value);
    }
    counts.bytes += chars + 4 * (count - nulls);
    if (chars > joinedCharsMax || !assignTogether(vector, values, from, to, chars))
      assignOneByOne(vector, values, from, to);
    copyNulls(vector, count, nulls);
  };
}

function assignOneByOne(vector: Vector, values: readonly RowValue[], from: number, to: number): void {
  for (let row = from; row < to; row++) {
    const value = values[row];
    if (typeof value === 'string')
      duckdb.vector_assign_string_element_len(vector, row - from, Buffer.from(value));
  }
}

/** Returns `false` if the vector does not look as it should. */
function assignTogether(
  vector: Vector,
  values: readonly RowValue[],
  from: number,
  to: number,
  chars: number,
): boolean {
  const isWhole = from === 0 && to === values.length;
  // Nulls are nothing when they are joined.
  let joined = Buffer.from((isWhole ? values : values.slice(from, to)).join(''));
  let lengths: readonly number[] | undefined;
  if (joined.length !== chars) {
    // One by one, because halves of characters that meet would become whole ones.
    const parts = values.slice(from, to).map((value) => Buffer.from((value as string | null) ?? ''));
    joined = Buffer.concat(parts);
    lengths = parts.map(({ length }) => length);
  }
  const base = joined.length > inlineBytesMax ? copiedTo(vector, joined) : 0;
  if (base === undefined) return false;
  let at = 0;
  for (let row = from; row < to; row++) {
    const entry = (row - from) * 4;
    const length = lengths?.[row - from] ?? (values[row] as string | null)?.length ?? 0;
    words[entry] = length;
    words[entry + 1] = 0;
    words[entry + 2] = 0;
    words[entry + 3] = 0;
    const first = entry * 4 + 4;
    if (length <= inlineBytesMax)
      for (let byte = 0; byte < length; byte++) bytes[first + byte] = joined[at + byte]!;
    else {
      for (let byte = 0; byte < 4; byte++) bytes[first + byte] = joined[at + byte]!;
      const address = base + at;
      words[entry + 2] = address % 2 ** 32;
      words[entry + 3] = address / 2 ** 32;
    }
    at += length;
  }
  duckdb.copy_data_to_vector(vector, 0, scratch, 0, (to - from) * 16);
  return true;
}

/** Where the copy is. Addresses have 48 bits, and numbers 53. */
function copiedTo(vector: Vector, joined: Buffer): number | undefined {
  duckdb.vector_assign_string_element_len(vector, 0, joined);
  const entry = Buffer.from(duckdb.vector_get_data(vector, 16));
  const isKnownForm =
    entry.readUInt32LE(0) === joined.length && entry.subarray(4, 8).equals(joined.subarray(0, 4));
  const address = Number(entry.readBigUInt64LE(8));
  return isKnownForm && Number.isSafeInteger(address + joined.length) ? address : undefined;
}

function noteNull(column: Column, row: number, nulls: number): number {
  if (column.isRequired)
    throw new InvalidRow(`column ${column.name} is required, and a row has no value for it`);
  if (nulls === 0) validity.fill(0xff);
  validity[row >> 3]! &= ~(1 << (row & 7));
  return nulls + 1;
}

function copyNulls(vector: Vector, count: number, nulls: number): void {
  if (nulls === 0) return;
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, validity.buffer, 0, Math.ceil(count / 64) * 8);
}
