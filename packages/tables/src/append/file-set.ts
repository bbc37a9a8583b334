/**
 * The data files of a table on the way to one commit: a file for each partition that rows have, closed by size, and
 * stored while other rows are appended.
 */
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type Random, randomId } from '@weir/core';
import {
  currentSchema,
  type DataFile,
  type DataFiles,
  defaultSpec,
  describeFile,
  type PartitionColumn,
  partitionColumns,
  partitionPath,
  type TableMetadata,
  type Value,
} from '@weir/iceberg';
import { tableLimits } from '../limits.ts';
import type { ParquetFile, ParquetFileOptions, ParquetWriter, RowValue } from '../parquet/parquet-writer.ts';
import type { BudgetUser, RowBudget } from './row-budget.ts';
import { type RefusedRow, RowPartitions } from './row-partitions.ts';
import type { FileColumns } from './table-columns.ts';

export interface FileSetOptions extends ParquetFileOptions {
  readonly parquet: ParquetWriter;
  readonly dataFiles: DataFiles;
  readonly random: Random;
  readonly budget: RowBudget;
  /** Of rows in one file. */
  readonly fileBytesMax?: number | undefined;
}

interface OpenFile {
  readonly file: ParquetFile;
  readonly partition: readonly (Value | null)[];
  bytes: number;
}

/** Files that are written and stored at the same time, beside the one that rows are appended to. */
const closingMax = 2;

export class FileSet implements BudgetUser {
  readonly #options: FileSetOptions;
  readonly #metadata: TableMetadata;
  readonly #columns: FileColumns;
  readonly #partitionColumns: readonly PartitionColumn[];
  readonly #rowPartitions: RowPartitions;
  /** By the key of their partition. */
  readonly #open = new Map<string, OpenFile>();
  readonly #closing = new Set<Promise<void>>();
  #closed: DataFile[] = [];
  #failure: { readonly error: unknown } | undefined;
  #isAppending = false;
  #isAskedToClose = false;

  constructor(metadata: TableMetadata, columns: FileColumns, options: FileSetOptions) {
    this.#metadata = metadata;
    this.#columns = columns;
    this.#options = options;
    this.#partitionColumns = partitionColumns(defaultSpec(metadata), [currentSchema(metadata)]);
    this.#rowPartitions = new RowPartitions(this.#partitionColumns, columns.columns);
    options.budget.join(this);
  }

  /** Rows that cannot be appended. */
  refused(batch: readonly (readonly RowValue[])[]): RefusedRow[] {
    return this.#rowPartitions.refused(this.#columns.fit(batch));
  }

  /** Appends rows of the definition; `bytes` is about their size. Returns the keys of their partitions. */
  async append(batch: readonly (readonly RowValue[])[], bytes: number): Promise<string[]> {
    const rowCount = batch[0]?.length ?? 0;
    const parts = this.#rowPartitions.split(this.#columns.fit(batch));
    const { fileBytesMax = tableLimits.tableFileRowBytes, budget } = this.#options;
    for (const { key, partition, batch: rows } of parts) {
      this.#check();
      await budget.room(this);
      const open = await this.#appendTo(key, partition, rows);
      const added = Math.ceil((bytes * rows[0]!.length) / rowCount);
      open.bytes += added;
      budget.add(added, 0);
      if (open.bytes >= fileBytesMax) await this.#close(key, open);
      else if (this.#isAskedToClose) await this.closeLargest();
      this.#isAskedToClose = false;
    }
    return parts.map(({ key }) => key);
  }

  /** Closes and stores all files, and returns them for the commit. */
  async finish(): Promise<DataFile[]> {
    for (const [key, open] of this.#open) await this.#close(key, open);
    await Promise.all(this.#closing);
    this.#check();
    return this.#closed.splice(0);
  }

  /** Forgets what was not finished. What was stored is left to the clean-up of orphans. */
  async abandon(): Promise<void> {
    this.#options.budget.leave(this);
    for (const { file, bytes } of this.#open.values()) {
      this.#options.budget.add(-bytes, -1);
      await file.abandon();
    }
    this.#open.clear();
    await Promise.all(this.#closing);
    this.#closed = [];
  }

  largestBytes(): number {
    return Math.max(0, ...this.#open.values().map(({ bytes }) => bytes));
  }

  /** Not while rows are appended, perhaps to that file. */
  askToClose(): void {
    if (this.#isAppending) this.#isAskedToClose = true;
    else void this.closeLargest();
  }

  async closeLargest(): Promise<void> {
    let found: [string, OpenFile] | undefined;
    for (const one of this.#open) if (found === undefined || one[1].bytes > found[1].bytes) found = one;
    if (found !== undefined) await this.#close(...found);
  }

  async #appendTo(
    key: string,
    partition: readonly (Value | null)[],
    rows: readonly (readonly RowValue[])[],
  ): Promise<OpenFile> {
    this.#isAppending = true;
    try {
      const open = this.#open.get(key) ?? (await this.#begin(key, partition));
      await open.file.append(rows);
      return open;
    } finally {
      this.#isAppending = false;
    }
  }

  async #begin(key: string, partition: readonly (Value | null)[]): Promise<OpenFile> {
    const { parquet, compression, budget } = this.#options;
    const open: OpenFile = {
      file: await parquet.open(this.#columns.columns, { compression }),
      partition,
      bytes: 0,
    };
    this.#open.set(key, open);
    budget.add(0, 1);
    return open;
  }

  /** Writes and stores a file while others are appended to; waits if that many are on their way. */
  async #close(key: string, open: OpenFile): Promise<void> {
    this.#open.delete(key);
    const stored = this.#store(open)
      .then(
        (file) => void this.#closed.push(file),
        (error: unknown) => {
          this.#failure ??= { error };
        },
      )
      .finally(() => {
        this.#closing.delete(stored);
        this.#options.budget.add(-open.bytes, -1);
      });
    this.#closing.add(stored);
    while (this.#closing.size > closingMax) await Promise.race(this.#closing);
  }

  async #store({ file, partition }: OpenFile): Promise<DataFile> {
    const { random } = this.#options;
    const { location, properties } = this.#metadata;
    const partitionFolder = partitionPath(this.#partitionColumns, partition);
    // Folders are for people; a bucket allows 1,024 bytes for all of a key.
    const folder = partitionFolder === '' || partitionFolder.length > 300 ? '' : `${partitionFolder}/`;
    const path = `${location}/data/${folder}${randomId(random)}.parquet`;
    let written: Awaited<ReturnType<ParquetFile['finish']>>;
    try {
      written = await file.finish();
    } catch (error) {
      await file.abandon();
      throw error;
    }
    try {
      await this.#upload(written.path, path);
    } finally {
      await rm(written.path, { force: true });
    }
    return describeFile(
      { ...written, path, format: 'PARQUET', partition },
      { schema: currentSchema(this.#metadata), spec: defaultSpec(this.#metadata), properties },
    );
  }

  async #upload(localPath: string, path: string): Promise<void> {
    const file = await this.#options.dataFiles.beginWrite(path);
    try {
      for await (const bytes of createReadStream(localPath)) await file.write(bytes as Buffer);
      await file.finish();
    } catch (error) {
      await file.abort();
      throw error;
    }
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
