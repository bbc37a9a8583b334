import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  DuckDBUUIDValue,
  type DuckDBValue,
} from '@duckdb/node-api';
import { type Clock, MiB, type Random, randomId, seededRandom, silentLog, systemClock } from '@weir/core';
import {
  type Catalog,
  commitChange,
  createTable,
  currentSchema,
  type DataFile,
  type DataFiles,
  defaultSpec,
  describeFile,
  FileChange,
  ObjectStoreCatalog,
  parseTransform,
  partitionPath,
  partitionsBySpec,
  planFiles,
  SchemaEvolution,
  snapshotOfRef,
  storeDataFiles,
  storeFiles,
  type TableChange,
  type TableFiles,
  type TableMetadata,
  type TableName,
  type Type,
  type Value,
} from '@weir/iceberg';
import type { ObjectStore } from '@weir/storage';
import { emptyMemoryStore } from '@weir/storage/testing';
import type { Maintenance, MaintenanceSettings } from '../src/maintenance/maintenance.ts';
import { DuckDbFile } from '../src/parquet/duckdb-file.ts';
import { type FileColumn, readFileColumns } from '../src/parquet/file-columns.ts';
import type { Column, RowValue } from '../src/parquet/parquet-writer.ts';

/** As the system's, and later by as much as a test says. Pauses take no time, and no timeout ever fires. */
class LateClock implements Clock {
  laterMs = 0;

  nowMs(): number {
    return systemClock.nowMs() + this.laterMs;
  }

  monotonicMs(): number {
    return this.nowMs();
  }

  after(delayMs: number, run: () => void): () => void {
    if (delayMs >= 60_000) return () => {};
    let isCancelled = false;
    queueMicrotask(() => {
      if (!isCancelled) run();
    });
    return () => {
      isCancelled = true;
    };
  }
}

/** A value by ids of columns, whatever names and types they had when it was written. */
type Known =
  | { readonly value: RowValue }
  | { readonly byId: ReadonlyMap<number, Known> }
  | { readonly items: readonly (Known | null)[] }
  | null;

const root = 's3://lake/warehouse';
const location = `${root}/shop/orders`;
let files = 0;
/** A file has a connection of its own. */
let writing: Promise<DuckDBInstance> | undefined;

/** A table in a bucket in memory, and the rows that it should have. */
export class TestTable {
  readonly name: TableName = { namespace: ['shop'], name: 'orders' };
  readonly location = location;
  readonly store: ObjectStore;
  readonly clock = new LateClock();
  readonly random: Random;
  readonly catalog: Catalog;
  readonly files: TableFiles;
  readonly dataFiles: DataFiles;
  readonly directory: string;
  readonly #connection: DuckDBConnection;
  #rows: ReadonlyMap<number, Known>[] = [];
  #offset = 0;

  private constructor(connection: DuckDBConnection, directory: string, store: ObjectStore, seed: number) {
    this.#connection = connection;
    this.directory = directory;
    this.store = store;
    this.random = seededRandom(seed);
    this.files = storeFiles(store, root);
    this.dataFiles = storeDataFiles(store, root);
    this.catalog = new ObjectStoreCatalog({ files: this.files, root, clock: this.clock, log: silentLog });
  }

  /** Partitions are texts such as `day(kafka_timestamp)`. */
  static async create(
    columns: readonly Omit<Column, 'id'>[],
    {
      partitions = [],
      seed = 1,
      properties = {},
    }: {
      readonly partitions?: readonly string[];
      readonly seed?: number;
      readonly properties?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<TestTable> {
    const directory = mkdtempSync(join(tmpdir(), 'tables-'));
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
    const table = new TestTable(connection, directory, emptyMemoryStore(), seed);
    const fields = partitions.map((text) => {
      const [, transform, column] = /^(.*)\((.*)\)$/.exec(text)!;
      return { path: [column!], transform: parseTransform(transform!, 'test') };
    });
    await createTable(
      table.catalog,
      table.name,
      { columns: columns.map((column) => ({ ...column, id: 0 })), partitions: fields, properties },
      table,
    );
    return table;
  }

  /** The same table in another bucket, such as one that fails; rows and offsets are those of this one. */
  over(store: ObjectStore, seed: number): TestTable {
    const other = new TestTable(this.#connection, this.directory, store, seed);
    other.clock.laterMs = this.clock.laterMs;
    other.#rows = [...this.#rows];
    other.#offset = this.#offset;
    return other;
  }

  close(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  maintenance(
    settings: Partial<MaintenanceSettings> = {},
    signal = new AbortController().signal,
  ): Maintenance {
    return {
      catalog: this.catalog,
      table: this.name,
      files: this.files,
      dataFiles: this.dataFiles,
      settings: { compression: 'zstd', ...settings },
      clock: this.clock,
      random: this.random,
      log: silentLog,
      signal,
    };
  }

  async metadata(): Promise<TableMetadata> {
    return (await this.catalog.load(this.name)).metadata;
  }

  async commit(change: TableChange): Promise<TableMetadata> {
    return (await commitChange(this.catalog, this.name, change, { ...this, log: silentLog })).metadata;
  }

  async evolve(changes: ConstructorParameters<typeof SchemaEvolution>[0]): Promise<void> {
    await this.commit(new SchemaEvolution(changes, await this.metadata()));
  }

  /** Appends rows, one array of values each, as one file. They are those of a batch of the source. */
  async append(
    rows: readonly (readonly RowValue[])[],
    partition: readonly (Value | null)[] = [],
  ): Promise<void> {
    const metadata = await this.metadata();
    const added = [await this.write(metadata, rows, partition)];
    const offset = this.#offset + rows.length;
    const summary = { 'service.source-offsets': JSON.stringify({ 0: String(offset) }) };
    await this.commit(new FileChange({ operation: 'append', added, summary }, this));
    this.#offset = offset;
    this.#remember(currentSchema(metadata).columns, rows);
  }

  get nextOffset(): number {
    return this.#offset;
  }

  /** Forgets rows that the table should no longer have. */
  forget(isGone: (row: readonly string[]) => boolean, columns: readonly Column[]): void {
    this.#rows = this.#rows.filter(
      (row) => !isGone(columns.map((column) => expectedText(row.get(column.id) ?? null, column.type))),
    );
  }

  /** Writes a data file without committing it. */
  async write(
    metadata: TableMetadata,
    rows: readonly (readonly RowValue[])[],
    partition: readonly (Value | null)[] = [],
  ): Promise<DataFile> {
    const { columns } = currentSchema(metadata);
    writing ??= DuckDBInstance.create(':memory:', { threads: '1' });
    const connection = await (await writing).connect();
    const file = await DuckDbFile.open(connection, columns, { memoryBytesMax: 64 * MiB });
    files++;
    file.append(columns.map((_, at) => rows.map((row) => row[at] ?? null)));
    const local = join(this.directory, `written-${files}.parquet`);
    const written = await file.finish(local);
    const spec = defaultSpec(metadata);
    const folder = partitionPath(partitionsBySpec(metadata)(spec.id), partition);
    const path = `${location}/data/${folder}${randomId(this.random)}.parquet`;
    await this.files.write(path, await readFile(local));
    await rm(local);
    return describeFile(
      { ...written, path, format: 'PARQUET', partition },
      { schema: currentSchema(metadata), spec },
    );
  }

  #remember(columns: readonly Column[], rows: readonly (readonly RowValue[])[]): void {
    for (const row of rows)
      this.#rows.push(new Map(columns.map(({ id, type }, at) => [id, known(type, row[at] ?? null)])));
  }

  /** The rows that the table should have, as texts in order. */
  async expected(): Promise<string[]> {
    const { columns } = currentSchema(await this.metadata());
    return this.#rows
      .map((row) => columns.map(({ id, type }) => expectedText(row.get(id) ?? null, type)).join(' | '))
      .sort();
  }

  /** The rows that the table has, read file by file by ids, as texts in order. */
  async rows(): Promise<string[]> {
    const metadata = await this.metadata();
    const { columns } = currentSchema(metadata);
    const { data } = await planFiles(this.files, metadata, snapshotOfRef(metadata));
    const rows: string[] = [];
    for (const { file } of data) {
      const content = await this.files.read(file.path, 64 * MiB);
      const local = join(this.directory, `read-${++files}.parquet`);
      await writeFile(local, content!);
      const has = await readFileColumns(this.#connection, local);
      const found = await this.#connection.runAndReadAll(
        `SELECT * FROM read_parquet('${local}', hive_partitioning = false)`,
      );
      for (const row of found.getRows()) {
        rows.push(
          columns
            .map((column) => {
              const at = has.findIndex(({ id }) => id === column.id);
              return at < 0 ? 'null' : foundText(row[at]!, has[at]!, column.type);
            })
            .join(' | '),
        );
      }
      await rm(local);
    }
    return rows.sort();
  }

  async liveFiles(): Promise<DataFile[]> {
    const metadata = await this.metadata();
    const { data } = await planFiles(this.files, metadata, snapshotOfRef(metadata));
    return data.map(({ file }) => file);
  }

  /** Paths below the location of the table. */
  async paths(): Promise<string[]> {
    const paths: string[] = [];
    for await (const page of this.files.list(`${location}/`)) paths.push(...page.map(({ path }) => path));
    return paths.map((path) => path.slice(location.length + 1));
  }
}

/** Structs by ids, because names and places change. */
function known(type: Type, value: RowValue): Known {
  if (value === null) return null;
  const parts = value as readonly RowValue[];
  switch (type.kind) {
    case 'struct':
      return {
        byId: new Map(type.columns.map((column, at) => [column.id, known(column.type, parts[at] ?? null)])),
      };
    case 'list':
      return { items: parts.map((part) => known(type.element, part)) };
    case 'map':
      return {
        items: parts.map((pair) => {
          const [key, mapped] = pair as readonly RowValue[];
          return { items: [known(type.key, key!), known(type.value, mapped ?? null)] };
        }),
      };
    default:
      return { value };
  }
}

function expectedText(one: Known, type: Type): string {
  if (one === null) return 'null';
  if (type.kind === 'struct') {
    const { byId } = one as { byId: ReadonlyMap<number, Known> };
    return `{${type.columns.map((column) => expectedText(byId.get(column.id) ?? null, column.type)).join(', ')}}`;
  }
  if (type.kind === 'list')
    return `[${(one as { items: readonly Known[] }).items.map((item) => expectedText(item, type.element)).join(', ')}]`;
  if (type.kind === 'map') {
    const pairs = (one as { items: readonly { items: readonly Known[] }[] }).items;
    return `<${pairs
      .map(
        ({ items: [key, value] }) =>
          `${expectedText(key!, type.key)}: ${expectedText(value ?? null, type.value)}`,
      )
      .join(', ')}>`;
  }
  return primitiveText((one as { value: RowValue }).value);
}

function foundText(value: DuckDBValue, has: FileColumn, type: Type): string {
  if (value === null) return 'null';
  if (type.kind === 'struct') {
    const { entries } = value as DuckDBStructValue;
    const parts = type.columns.map((column) => {
      const at = has.inside.findIndex(({ id }) => id === column.id);
      return at < 0 ? 'null' : foundText(Object.values(entries)[at]!, has.inside[at]!, column.type);
    });
    return `{${parts.join(', ')}}`;
  }
  if (type.kind === 'list')
    return `[${(value as DuckDBListValue).items.map((item) => foundText(item, has.inside[0]!, type.element)).join(', ')}]`;
  if (type.kind === 'map')
    return `<${(value as DuckDBMapValue).entries
      .map(
        (pair) =>
          `${foundText(pair.key, has.inside[0]!, type.key)}: ${foundText(pair.value, has.inside[1]!, type.value)}`,
      )
      .join(', ')}>`;
  return primitiveText(plainValue(value));
}

function plainValue(value: DuckDBValue): RowValue {
  if (value instanceof DuckDBDateValue) return value.days;
  if (value instanceof DuckDBTimeValue) return value.micros;
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue) return value.micros;
  if (value instanceof DuckDBDecimalValue) return value.value;
  if (value instanceof DuckDBUUIDValue) return value.toString();
  if (value instanceof DuckDBBlobValue) return value.bytes;
  if (
    value instanceof DuckDBListValue ||
    value instanceof DuckDBMapValue ||
    value instanceof DuckDBStructValue
  )
    throw new Error('no primitive value');
  return value as Value;
}

/** Integers of all widths alike; -0 is not 0. */
function primitiveText(value: RowValue): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (typeof value === 'string') return JSON.stringify(value);
  return Object.is(value, -0) ? '-0' : String(value);
}
