/**
 * Makes rows of kept records, by the definition as it is now. File by file, so that it can end anywhere:
 *
 *     records of the file ──some fail──► the file becomes two: those that can be rows, and the others with their error
 *            │ all can be rows
 *            ▼
 *     rows are committed with the path of the file as `service.replay-id` ──► the file is removed
 *
 * A file whose path is the newest id has been replayed, and is only removed. A commit of rows is refused if the newest
 * id is another than when the file was chosen, so that of two replays one goes on. Records that the table has not
 * passed yet stay: ingestion may still read them.
 */
import {
  ChangeRefused,
  commitChange,
  currentSchema,
  type DataFile,
  FileChange,
  type FileChangeParts,
  type LoadedTable,
  newestSummary,
  planFiles,
  readBytes,
  snapshotOfRef,
  type TableMetadata,
  type TableName,
  TableNotFound,
} from '@weir/iceberg';
import { FileSet, type FileSetOptions } from '../append/file-set.ts';
import { openTable, type TableDeps, wantedTable } from '../append/open-table.ts';
import { carriedSummary, replayIdKey, sourceOffsetsOf } from '../append/summary-keys.ts';
import { fileColumns } from '../append/table-columns.ts';
import { tableLimits } from '../limits.ts';
import type { ParquetReader, ParquetWriter } from '../parquet/parquet-writer.ts';
import type { ReadRows, RowFailure, RowReader } from '../rows/row-reader.ts';
import type { TableDefinition } from '../table-definition.ts';
import { type KeptRecord, keptColumns, keptRows, keptTableName, readKept } from './kept-records.ts';

interface ReplayOptions extends TableDeps, Pick<FileSetOptions, 'budget' | 'dataFiles'> {
  readonly definition: TableDefinition;
  /** Of the table of rows. */
  readonly name: TableName;
  readonly rows: RowReader;
  readonly parquet: ParquetWriter & ParquetReader;
  readonly signal: AbortSignal;
  /** Called before each file, and at the end. */
  readonly onLeft?: ((left: ReplayLeft) => void) | undefined;
}

/** Records that a replay has not worked on yet. */
export interface ReplayLeft {
  readonly records: number;
  /** When the oldest of them was written, as far as files say. */
  readonly oldestMs: number | undefined;
}

interface ReplayResult {
  /** Records that became rows, or that a transform dropped. */
  readonly replayed: number;
  /** Records that failed again, and stay with their new error. */
  readonly failed: number;
  /** Records that the table has not passed yet. */
  readonly waiting: number;
}

export async function replayKept(options: ReplayOptions): Promise<ReplayResult> {
  return await new Replay(options).run();
}

class Replay {
  readonly #options: ReplayOptions;
  readonly #keptName: TableName;
  /** Paths of files whose records stay. */
  readonly #staying = new Set<string>();
  #counts = { replayed: 0, failed: 0, waiting: 0 };

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#keptName = keptTableName(options.name);
  }

  async run(): Promise<ReplayResult> {
    const { catalog, files, name, definition, signal } = this.#options;
    await openTable(this.#options, wantedTable(definition, name), () => {});
    for (;;) {
      signal.throwIfAborted();
      // In this order: a file that is there and not the newest id was not replayed.
      const table = await catalog.load(name);
      const kept = await this.#loadKept();
      if (kept === undefined) return this.#counts;
      const { data } = await planFiles(files, kept.metadata, snapshotOfRef(kept.metadata));
      const replayedPath = newestSummary(table.metadata, replayIdKey)?.value;
      const replayed = data.find(({ file }) => file.path === replayedPath);
      const left = data.map(({ file }) => file).filter(({ path }) => this.#isLeft(path, replayedPath));
      this.#options.onLeft?.(leftOf(kept.metadata, left));
      const [next] = left;
      if (replayed !== undefined) await this.#change({ operation: 'delete', removed: [replayed.file.path] });
      else if (next === undefined) return this.#counts;
      else await this.#replay(next, table, kept);
    }
  }

  #isLeft(path: string, replayedPath: string | undefined): boolean {
    return path !== replayedPath && !this.#staying.has(path);
  }

  async #loadKept(): Promise<LoadedTable | undefined> {
    try {
      return await this.#options.catalog.load(this.#keptName);
    } catch (error) {
      if (error instanceof TableNotFound) return undefined;
      throw error;
    }
  }

  async #replay(file: DataFile, table: LoadedTable, kept: LoadedTable): Promise<void> {
    const { files, parquet } = this.#options;
    const all = await readKept(files, parquet, file);
    const offsets = sourceOffsetsOf(table.metadata);
    const isPassed = ({ record }: KeptRecord) => record.offset < (offsets.get(record.partition) ?? 0n);
    const waiting = all.filter((one) => !isPassed(one));
    const records = all.filter(isPassed);
    const { batches, failures } = await this.#read(records);
    if (failures.size === 0 && waiting.length === 0) {
      if (await this.#appendRows(table, batches, file.path)) this.#counts.replayed += records.length;
      return;
    }
    this.#counts.failed += failures.size;
    this.#counts.waiting += waiting.length;
    // Nothing is different about records that wait.
    if (failures.size === 0 && records.length === 0) {
      this.#staying.add(file.path);
      return;
    }
    const failed = records.flatMap((one, at) => {
      const failure = failures.get(at);
      return failure === undefined ? [] : [{ ...one, step: failure.step, error: failure.message }];
    });
    const ready = records.filter((_, at) => !failures.has(at));
    const staying = await this.#writeKept(kept, [...failed, ...waiting]);
    for (const { path } of staying) this.#staying.add(path);
    const added = [...staying, ...(await this.#writeKept(kept, ready))];
    await this.#change({ operation: 'overwrite', removed: [file.path], added });
  }

  /** Rows of records, and failures by the place of their record. */
  async #read(kept: readonly KeptRecord[]) {
    const { rows } = this.#options;
    const batches: ReadRows[] = [];
    const failures = new Map<number, RowFailure>();
    const { sourceBatchRecordsMax } = tableLimits;
    for (let from = 0; from < kept.length; from += sourceBatchRecordsMax) {
      const records = kept.slice(from, from + sourceBatchRecordsMax).map(({ record }) => record);
      const read = await rows.read(records);
      batches.push(read);
      for (const failure of read.failures) failures.set(from + failure.at, failure);
    }
    return { batches, failures };
  }

  /** Returns whether the rows are in the table by this replay. */
  async #appendRows({ metadata }: LoadedTable, batches: readonly ReadRows[], path: string): Promise<boolean> {
    const { catalog, name, definition } = this.#options;
    const columns = fileColumns(definition.columns.columns, currentSchema(metadata));
    const set = this.#fileSet(metadata, columns, { compression: definition.compression });
    try {
      for (const { columns: values, recordAt, bytes } of batches)
        if (recordAt.length > 0) await set.append(values, bytes);
      const added = await set.finish();
      const before = newestSummary(metadata, replayIdKey)?.value;
      const change = new FileChange(
        {
          operation: 'append',
          added,
          summary: (newer) => ({ ...carriedSummary(newer), [replayIdKey]: path }),
          validate: (newer) => {
            if (newer.uuid !== metadata.uuid || newestSummary(newer, replayIdKey)?.value !== before)
              throw new ChangeRefused('another replay goes on');
          },
        },
        this.#options,
      );
      await commitChange(catalog, name, change, this.#options);
      return true;
    } catch (error) {
      if (error instanceof ChangeRefused) return false;
      throw error;
    } finally {
      await set.abandon();
    }
  }

  async #writeKept({ metadata }: LoadedTable, records: readonly KeptRecord[]): Promise<DataFile[]> {
    if (records.length === 0) return [];
    const set = this.#fileSet(metadata, fileColumns(keptColumns, currentSchema(metadata)));
    try {
      const { batch, bytes } = keptRows(records);
      await set.append(batch, bytes);
      return await set.finish();
    } finally {
      await set.abandon();
    }
  }

  #fileSet(
    metadata: LoadedTable['metadata'],
    columns: ReturnType<typeof fileColumns>,
    options: Pick<FileSetOptions, 'compression'> = {},
  ): FileSet {
    return new FileSet(metadata, columns, { ...this.#options, ...options });
  }

  /** Changes files of kept records; if one is gone meanwhile, the next turn sees it. */
  async #change(parts: FileChangeParts): Promise<void> {
    const { catalog } = this.#options;
    const change = new FileChange({ ...parts, summary: carriedSummary }, this.#options);
    try {
      await commitChange(catalog, this.#keptName, change, this.#options);
    } catch (error) {
      if (!(error instanceof ChangeRefused)) throw error;
    }
  }
}

function leftOf(metadata: TableMetadata, files: readonly DataFile[]): ReplayLeft {
  const column = currentSchema(metadata).find(['timestamp']);
  let records = 0;
  let oldestMs: number | undefined;
  for (const { recordCount, columns } of files) {
    records += Number(recordCount);
    const lower = column === undefined ? undefined : columns.get(column.id)?.lower;
    if (lower === undefined || column?.type.kind !== 'timestamptz') continue;
    const ms = Number(readBytes(column.type, lower)) / 1000;
    oldestMs = Math.min(oldestMs ?? ms, ms);
  }
  return { records, oldestMs };
}
