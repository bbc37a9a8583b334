import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { decompressors, printMessage, type Value } from '@weir/bloblang';
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetReadObjects,
  parquetSchema,
  type SchemaElement,
  type SchemaTree,
} from 'hyparquet';
import { decompressLz4Block } from './lz4-block.ts';

/** What decompresses a page, up to the size that its header says. */
const compressors = {
  SNAPPY: (input: Uint8Array, size: number) => decompressors.snappy!(Buffer.from(input), size),
  GZIP: (input: Uint8Array, size: number) => gunzipSync(input, { maxOutputLength: Math.max(1, size) }),
  ZSTD: (input: Uint8Array, size: number) => decompressors.zstd!(Buffer.from(input), size),
  BROTLI: (input: Uint8Array, size: number) =>
    brotliDecompressSync(input, { maxOutputLength: Math.max(1, size) }),
  LZ4_RAW: decompressLz4Block,
};

function timeText(nanos: bigint): string | bigint {
  const ms = Number(nanos / 1_000_000n);
  if (Math.abs(ms) > 8.64e15) return nanos;
  return new Date(ms).toISOString();
}

/** Digits behind the point that a number may be rounded to. */
const decimalsMax = 20;

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();

const parsers = {
  timestampFromMilliseconds: (millis: bigint) => timeText(millis * 1_000_000n),
  timestampFromMicroseconds: (micros: bigint) => timeText(micros * 1_000n),
  timestampFromNanoseconds: timeText,
  dateFromDays: (days: number) => String(timeText(BigInt(days) * 86_400_000_000_000n)).slice(0, 10),
  stringFromBytes: textOf,
  jsonFromBytes: textOf,
  geometryFromBytes: textOf,
  geographyFromBytes: textOf,
};

interface RowsOptions {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly rowStart: number;
  readonly rowEnd: number;
  /** Lists are objects, as Parquet stores them, and not arrays. */
  readonly wrapsLists: boolean;
}

/** Rows as texts of JSON. */
export async function readRows({ metadata, wrapsLists, ...options }: RowsOptions): Promise<string[]> {
  const tree = parquetSchema(metadata);
  const rows = await parquetReadObjects({ ...options, metadata, compressors, parsers, geoparquet: false });
  return rows.map((row) => printMessage(structOf(tree, row, wrapsLists)));
}

function structOf({ children }: SchemaTree, value: unknown, wrapsLists: boolean): Value {
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    children.map((child) => [child.element.name, nodeOf(child, fields[child.element.name], wrapsLists)]),
  );
}

function nodeOf(node: SchemaTree, value: unknown, wrapsLists: boolean): Value {
  const { element, children } = node;
  if (value === null || value === undefined) return element.repetition_type === 'REPEATED' ? [] : null;
  const kind = element.converted_type ?? element.logical_type?.type;
  if (kind === 'LIST' && Array.isArray(value)) {
    const [repeated] = children;
    const item = repeated?.children.length === 1 ? repeated.children[0]! : repeated!;
    const items = value.map((one) => itemOf(item, one));
    return wrapsLists ? { list: items.map((one) => ({ element: one })) } : items;
  }
  if (kind === 'MAP' || kind === 'MAP_KEY_VALUE') return mapOf(children[0]!, value);
  if (element.repetition_type === 'REPEATED' && Array.isArray(value))
    return value.map((one) => itemOf(node, one));
  return children.length > 0 ? structOf(node, value, wrapsLists) : scalarOf(element, value);
}

/** Lists in lists, and in maps, are always arrays. */
function itemOf(node: SchemaTree, value: unknown): Value {
  if (value === null || value === undefined) return null;
  const isPlain = node.element.repetition_type === 'REPEATED';
  if (!isPlain) return nodeOf(node, value, false);
  return node.children.length > 0 ? structOf(node, value, false) : scalarOf(node.element, value);
}

function mapOf(entry: SchemaTree, value: unknown): Value {
  const [, item] = entry.children;
  return Object.fromEntries(
    Object.entries(value as object).map(([key, one]) => [key, item === undefined ? null : itemOf(item, one)]),
  );
}

function scalarOf({ type, converted_type, scale = 0 }: SchemaElement, value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint')
    return BigInt(Number(value)) === value && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value === 'number') {
    // JSON has no other numbers.
    if (!Number.isFinite(value)) return null;
    // The reader multiplies by 0.01, which is not quite a hundredth.
    if (converted_type === 'DECIMAL') return Number(value.toFixed(Math.max(0, Math.min(scale, decimalsMax))));
    return type === 'FLOAT' ? shortestSingle(value) : value;
  }
  if (value instanceof Uint8Array) return textOf(value);
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'boolean' ? value : String(value);
}

/** The shortest decimal that is this float of 32 bits. */
function shortestSingle(single: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const shorter = Number(single.toPrecision(digits));
    if (Math.fround(shorter) === single) return shorter;
  }
  return single;
}
