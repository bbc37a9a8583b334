/** A writer of files with the port of Parquet ones that are JSON, for tests that write many. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  Column,
  ParquetFile,
  ParquetReader,
  ParquetWriter,
  RowValue,
} from '../src/parquet/parquet-writer.ts';

export type JsonRow = Readonly<Record<string, RowValue>>;

const directory = mkdtempSync(join(tmpdir(), 'json-parquet-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
let last = 0;

export class JsonParquet implements ParquetWriter, ParquetReader {
  async open(columns: readonly Column[]): Promise<ParquetFile> {
    const batches: (readonly (readonly RowValue[])[])[] = [];
    const path = await this.newPath();
    return {
      append: async (batch) => void batches.push(batch),
      finish: async () => {
        const rows = batches.flatMap((batch) =>
          batch[0]!.map((_, row) =>
            Object.fromEntries(columns.map(({ name }, at) => [name, batch[at]![row]!])),
          ),
        );
        const content = printRows(rows);
        await writeFile(path, content);
        return {
          path,
          recordCount: rows.length,
          fileBytes: content.length,
          columns: new Map(
            columns
              .filter(({ type }) => type.kind === 'timestamptz')
              .map(({ id, name }) => [
                id,
                boundsOf(rows.flatMap((row) => (typeof row[name] === 'bigint' ? [row[name]] : []))),
              ]),
          ),
          splitOffsets: [4],
        };
      },
      abandon: async () => {},
    };
  }

  async newPath(): Promise<string> {
    return join(directory, `${++last}.json`);
  }

  /** Only what is selected of kept records. */
  async read(path: string): Promise<unknown[][]> {
    const blob = (value: RowValue | undefined) =>
      value === null || value === undefined ? null : { bytes: value };
    return readRows(readFileSync(path)).map((row) => {
      const headers = row.headers as readonly (readonly [string, Uint8Array | null])[];
      return [
        ...['topic', 'partition', 'offset'].map((name) => row[name]),
        blob(row.key),
        blob(row.value),
        row.step,
        row.error,
        (row.timestamp as bigint) / 1000n,
        (row.failed_at as bigint) / 1000n,
        { items: headers.map(([name]) => name) },
        { items: headers.map(([, value]) => blob(value)) },
      ];
    });
  }
}

function printRows(rows: readonly JsonRow[]): Buffer {
  return Buffer.from(
    JSON.stringify(rows, function (this: Record<string, unknown>, key, value: unknown) {
      const own = this[key];
      if (typeof value === 'bigint') return { long: String(value) };
      return own instanceof Uint8Array ? { bytes: Buffer.from(own).toString('base64') } : value;
    }),
  );
}

export function readRows(content: Buffer): JsonRow[] {
  return JSON.parse(content.toString(), (_, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('long' in value) return BigInt(value.long as string);
    return 'bytes' in value ? Buffer.from(value.bytes as string, 'base64') : value;
  }) as JsonRow[];
}

function boundsOf(values: readonly bigint[]) {
  const sorted = values.toSorted((one, other) => (one < other ? -1 : 1));
  return { bytes: 8, valueCount: values.length, nullCount: 0, least: sorted[0], greatest: sorted.at(-1) };
}
