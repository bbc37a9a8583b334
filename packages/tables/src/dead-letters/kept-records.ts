/**
 * Records that could not be rows, in a table beside that of the rows. Its files are removed as a whole and never
 * merged, so that a file that was replayed is known by its path.
 */
import { rm, writeFile } from 'node:fs/promises';
import { type DataFile, parsePrimitive, type TableFiles, type TableName } from '@weir/iceberg';
import { tableLimits } from '../limits.ts';
import type { Column, ParquetReader, RowValue } from '../parquet/parquet-writer.ts';
import type { RowStep, SourceRecord } from '../rows/row-reader.ts';
import type { PartitionBy } from '../table-definition.ts';

export interface KeptRecord {
  readonly topic: string;
  readonly record: SourceRecord;
  readonly step: RowStep;
  readonly error: string;
  readonly failedAtMs: number;
}

/** The name of the table of kept records of a table. */
export function keptTableName({ namespace, name }: TableName): TableName {
  return { namespace, name: `${name}__dlq` };
}

const column = (id: number, name: string, type: string, isRequired = true): Column => ({
  id,
  name,
  isRequired,
  type: parsePrimitive(type, name),
});

export const keptColumns: readonly Column[] = [
  column(1, 'topic', 'string'),
  column(2, 'partition', 'int'),
  column(3, 'offset', 'long'),
  column(4, 'timestamp', 'timestamptz'),
  column(5, 'key', 'binary', false),
  column(6, 'value', 'binary', false),
  {
    id: 7,
    name: 'headers',
    isRequired: true,
    type: {
      kind: 'list',
      elementId: 8,
      isElementRequired: true,
      element: {
        kind: 'struct',
        columns: [column(9, 'name', 'string'), column(10, 'value', 'binary', false)],
      },
    },
  },
  column(11, 'step', 'string'),
  column(12, 'error', 'string'),
  column(13, 'failed_at', 'timestamptz'),
];

/** Retention removes whole files, so that a day has files of its own. */
export const keptPartitionBy: readonly PartitionBy[] = [{ column: 'failed_at', transform: 'day' }];

const micros = (ms: number) => BigInt(Math.trunc(ms)) * 1000n;

/** Kept records as rows of `keptColumns`, and about their bytes. */
export function keptRows(kept: readonly KeptRecord[]): {
  readonly batch: readonly (readonly RowValue[])[];
  readonly bytes: number;
} {
  let bytes = 0;
  for (const { record, error } of kept) {
    bytes += 100 + error.length + (record.key?.length ?? 0) + (record.value?.length ?? 0);
    for (const [name, value] of record.headers) bytes += name.length + (value?.length ?? 0);
  }
  const batch: RowValue[][] = [
    kept.map(({ topic }) => topic),
    kept.map(({ record }) => record.partition),
    kept.map(({ record }) => record.offset),
    kept.map(({ record }) => micros(record.timestampMs)),
    kept.map(({ record }) => record.key),
    kept.map(({ record }) => record.value),
    kept.map(({ record }) => record.headers.map((header) => [...header])),
    kept.map(({ step }) => step),
    kept.map(({ error }) => error.slice(0, tableLimits.keptErrorCharsMax)),
    kept.map(({ failedAtMs }) => micros(failedAtMs)),
  ];
  return { batch, bytes };
}

const selection = [
  ...['topic', 'partition', 'offset', 'key', 'value', 'step', 'error'].map((name) => `"${name}"`),
  'epoch_ms("timestamp")',
  'epoch_ms(failed_at)',
  'list_transform(headers, lambda header: header.name)',
  'list_transform(headers, lambda header: header.value)',
].join(', ');

/** Reads a file of kept records, in order. */
export async function readKept(
  files: TableFiles,
  parquet: ParquetReader,
  { path, fileBytes }: Pick<DataFile, 'path' | 'fileBytes'>,
): Promise<KeptRecord[]> {
  const content = await files.read(path, Number(fileBytes));
  if (content === undefined) return [];
  const local = await parquet.newPath();
  try {
    await writeFile(local, content);
    return (await parquet.read(local, selection)).map(keptRecord);
  } finally {
    await rm(local, { force: true });
  }
}

type Blob = { readonly bytes: Uint8Array } | null;
type List<Item> = { readonly items: readonly Item[] };

function keptRecord(row: readonly unknown[]): KeptRecord {
  const [topic, partition, offset, key, value, step, error, timestampMs, failedAtMs, names, values] = row as [
    ...[string, number, bigint, Blob, Blob, RowStep, string, bigint, bigint],
    ...[List<string>, List<Blob>],
  ];
  return {
    topic,
    step,
    error,
    failedAtMs: Number(failedAtMs),
    record: {
      partition,
      offset,
      timestampMs: Number(timestampMs),
      key: key?.bytes ?? null,
      value: value?.bytes ?? null,
      headers: names.items.map((name, at) => [name, values.items[at]?.bytes ?? null]),
    },
  };
}
