/**
 * Keeps records that cannot be rows, and is committed before the rows that pass them.
 *
 * A crash between both commits leaves kept records that the table of rows has not passed: the next writer finds them,
 * and neither keeps them again nor makes rows of them. Of several writers only the last that was opened may add
 * records: each commits its id first, and is refused once there is another.
 */
import { type Clock, type Random, randomId } from '@weir/core';
import {
  ChangeRefused,
  commitChange,
  currentSchema,
  type DataFiles,
  FileChange,
  type LoadedTable,
  newestSummary,
  planFiles,
  snapshotOfRef,
  type TableMetadata,
  type TableName,
} from '@weir/iceberg';
import { FileSet } from '../append/file-set.ts';
import { openTable, type TableDeps } from '../append/open-table.ts';
import type { RowBudget } from '../append/row-budget.ts';
import {
  carriedSummary,
  type SourceOffsets,
  sourceOffsetsOf,
  sourceOffsetsSummary,
  writerIdKey,
} from '../append/summary-keys.ts';
import { fileColumns } from '../append/table-columns.ts';
import { tableLimits } from '../limits.ts';
import type { ParquetReader, ParquetWriter } from '../parquet/parquet-writer.ts';
import type { RowFailure, SourceRecord } from '../rows/row-reader.ts';
import { keptColumns, keptPartitionBy, keptRows, keptTableName, readKept } from './kept-records.ts';

interface KeeperOptions extends TableDeps {
  /** Of the table of rows. */
  readonly name: TableName;
  readonly topic: string;
  readonly parquet: ParquetWriter & ParquetReader;
  readonly dataFiles: DataFiles;
  readonly budget: RowBudget;
  readonly clock: Clock;
  readonly random: Random;
}

interface FailedRecord {
  readonly record: SourceRecord;
  readonly failure: RowFailure;
}

export class RecordKeeper {
  readonly #options: KeeperOptions;
  readonly #name: TableName;
  readonly #writerId: string;
  readonly #files: FileSet;
  #table: LoadedTable;
  /** Kept, but not passed by the table of rows. */
  readonly #kept = new Set<string>();
  #uncommitted = 0;
  #committed = 0;

  private constructor(options: KeeperOptions, name: TableName, table: LoadedTable) {
    this.#options = options;
    this.#name = name;
    this.#table = table;
    this.#writerId = randomId(options.random);
    const { metadata } = table;
    this.#files = new FileSet(metadata, fileColumns(keptColumns, currentSchema(metadata)), {
      ...options,
      fileBytesMax: tableLimits.keptFileRowBytes,
    });
  }

  static async open(options: KeeperOptions): Promise<RecordKeeper> {
    const name = keptTableName(options.name);
    const wanted = { name, columns: keptColumns, partitionBy: keptPartitionBy, properties: {} };
    const keeper = new RecordKeeper(options, name, await openTable(options, wanted, () => {}));
    const id = { [writerIdKey]: keeper.#writerId };
    await keeper.#append({ summary: (metadata) => ({ ...carriedSummary(metadata), ...id }) });
    return keeper;
  }

  /** Records in the table that were not replayed yet. */
  get total(): number {
    return Number(snapshotOfRef(this.#table.metadata)?.summary['total-records'] ?? 0);
  }

  /** Sees what a replay or maintenance changed. */
  async refresh(): Promise<void> {
    this.#table = await this.#options.catalog.load(this.#name);
  }

  get uncommitted(): number {
    return this.#uncommitted;
  }

  /** Finds what is kept and was not passed, given the offsets of the table of rows. */
  async findKept(offsets: SourceOffsets): Promise<void> {
    const { files, parquet } = this.#options;
    const { metadata } = this.#table;
    const isAhead = (partition: number, offset: bigint) => offset > (offsets.get(partition) ?? 0n);
    const ahead = [...sourceOffsetsOf(metadata)].filter(([partition, offset]) => isAhead(partition, offset));
    if (ahead.length === 0) return;
    const { data } = await planFiles(files, metadata, snapshotOfRef(metadata));
    for (const { file } of data)
      for (const { record } of await readKept(files, parquet, file))
        if (record.offset >= (offsets.get(record.partition) ?? 0n))
          this.#kept.add(`${record.partition}/${record.offset}`);
  }

  isKept(partition: number, offset: bigint): boolean {
    return this.#kept.size > 0 && this.#kept.has(`${partition}/${offset}`);
  }

  async keep(failed: readonly FailedRecord[]): Promise<void> {
    const { topic, clock } = this.#options;
    const failedAtMs = clock.nowMs();
    const { batch, bytes } = keptRows(
      failed.map(({ record, failure: { step, message } }) => ({
        topic,
        record,
        step,
        error: message,
        failedAtMs,
      })),
    );
    await this.#files.append(batch, bytes);
    this.#uncommitted += failed.length;
  }

  /** Commits what was kept, if anything was, before the table of rows passes the offsets. */
  async commit(positions: SourceOffsets): Promise<void> {
    if (this.#uncommitted === 0) return;
    const added = await this.#files.finish();
    await this.#append({
      added,
      summary: (metadata) => ({
        ...carriedSummary(metadata),
        ...sourceOffsetsSummary(latest(sourceOffsetsOf(metadata), positions)),
      }),
      validate: (metadata) => this.#validate(metadata),
    });
    this.#committed += this.#uncommitted;
    this.#uncommitted = 0;
  }

  /** How many were committed since it was asked last. */
  takeCommitted(): number {
    const committed = this.#committed;
    this.#committed = 0;
    return committed;
  }

  abandon(): Promise<void> {
    return this.#files.abandon();
  }

  async #append(parts: Omit<ConstructorParameters<typeof FileChange>[0], 'operation'>): Promise<void> {
    const { catalog } = this.#options;
    const change = new FileChange({ ...parts, operation: 'append' }, this.#options);
    this.#table = await commitChange(catalog, this.#name, change, this.#options);
  }

  #validate(metadata: TableMetadata): void {
    if (newestSummary(metadata, writerIdKey)?.value !== this.#writerId)
      throw new ChangeRefused('another writer keeps the records of the table now');
  }
}

function latest(one: SourceOffsets, other: SourceOffsets): SourceOffsets {
  const merged = new Map(one);
  for (const [partition, offset] of other)
    if (offset > (merged.get(partition) ?? -1n)) merged.set(partition, offset);
  return merged;
}
