/** A table of every type in a folder, written by DuckDB and our catalog, whose rows are known. */
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Metrics, seededRandom, silentLog, systemClock, systemEnvironment } from '@weir/core';
import {
  commitChange,
  createTable,
  currentSchema,
  type DataFile,
  type DataFiles,
  defaultSpec,
  describeFile,
  Expiry,
  FileChange,
  ManifestRewrite,
  ObjectStoreCatalog,
  PartitionEvolution,
  parsePrimitive,
  parseTransform,
  planFiles,
  SchemaEvolution,
  snapshotOfRef,
  storeDataFiles,
  storeFiles,
  type TableChange,
  type TableMetadata,
  transformValue,
  unreachableFiles,
  type Value,
} from '@weir/iceberg';
import { createBucket, openStore } from '@weir/storage';
import { DuckDbWriter, type RowValue } from '@weir/tables';
import type { Column, Row } from './typed-rows.ts';

/** A column by its name and a transform by its text, such as `['at', 'day']`. */
export type Partition = readonly [column: string, transform: string];

export class TypedLake {
  readonly folder: string;
  readonly catalog: ObjectStoreCatalog;
  readonly dataFiles: DataFiles;
  readonly deps;
  readonly writer: DuckDbWriter;

  static async open(parent: string): Promise<TypedLake> {
    const folder = await mkdtemp(join(parent, 'lake-'));
    const root = `file://${folder}/tables`;
    await createBucket(root);
    const store = await openStore(root, {
      clock: systemClock,
      random: seededRandom(1),
      log: silentLog,
      environment: systemEnvironment,
      metrics: new Metrics(),
    });
    return new TypedLake(folder, storeFiles(store, root), storeDataFiles(store, root));
  }

  private constructor(folder: string, files: ReturnType<typeof storeFiles>, dataFiles: DataFiles) {
    this.dataFiles = dataFiles;
    this.folder = folder;
    this.deps = { files, clock: systemClock, random: seededRandom(2), log: silentLog };
    this.catalog = new ObjectStoreCatalog({ ...this.deps, root: this.root });
    this.writer = new DuckDbWriter({
      directory: join(folder, 'writer'),
      memoryBytesMax: 128 * 1024 * 1024,
      spillBytesMax: 128 * 1024 * 1024,
    });
  }

  get root(): string {
    return `file://${this.folder}/tables`;
  }

  async close(): Promise<void> {
    await this.writer.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export class TypedTable {
  readonly name;
  readonly location: string;
  readonly #lake: TypedLake;
  /** The rows that a reader must find, with the current columns. */
  rows: Row[] = [];
  #files = 0;

  static async create(
    lake: TypedLake,
    name: string,
    columns: readonly Column[],
    partitions: readonly Partition[],
  ): Promise<TypedTable> {
    const table = new TypedTable(lake, name);
    await createTable(
      lake.catalog,
      table.name,
      { columns, partitions: partitions.map(partitionField) },
      lake.deps,
    );
    return table;
  }

  private constructor(lake: TypedLake, name: string) {
    this.#lake = lake;
    this.name = { namespace: ['typed'], name };
    this.location = `${lake.root}/typed/${name}`;
  }

  async metadata(): Promise<TableMetadata> {
    return (await this.#lake.catalog.load(this.name)).metadata;
  }

  async columns(): Promise<readonly Column[]> {
    return currentSchema(await this.metadata()).columns;
  }

  async append(rows: readonly Row[]): Promise<void> {
    await this.#change({ operation: 'append', added: await this.#write(rows) });
    this.rows.push(...rows);
  }

  /** Deletes rows by files of deletes, as other programs do; `places` are those of the rows of a file. */
  async deleteRows(
    isDeleted: (row: Row) => boolean,
    places: (file: DataFile) => Promise<readonly bigint[]>,
  ): Promise<number> {
    const before = this.rows.length;
    const added: DataFile[] = [];
    for (const file of await this.files()) {
      const deleted = await places(file);
      if (deleted.length === 0) continue;
      const written = await this.#lake.writer.open(placeColumns);
      await written.append([deleted.map(() => file.path), deleted]);
      const { path: local, fileBytes } = await written.finish();
      const path = `${this.location}/data/deletes-${this.#files++}.parquet`;
      await rename(local, path.slice('file://'.length));
      const { specId, partition } = file;
      added.push({
        content: 'position-deletes',
        path,
        format: 'PARQUET',
        specId,
        partition,
        recordCount: BigInt(deleted.length),
        fileBytes: BigInt(fileBytes),
        columns: new Map(),
      });
    }
    await this.#change({ operation: 'overwrite', added });
    this.rows = this.rows.filter((row) => !isDeleted(row));
    return before - this.rows.length;
  }

  /** Merges all files into one for each partition. */
  async compact(): Promise<void> {
    const metadata = await this.metadata();
    const snapshot = snapshotOfRef(metadata)!;
    const { data } = await planFiles(this.#lake.deps.files, metadata, snapshot);
    await this.#change({
      operation: 'replace',
      added: await this.#write(this.rows),
      removed: data.map(({ file }) => file.path),
      plannedOn: snapshot.id,
    });
    await this.#commit(new ManifestRewrite({}, this.#lake.deps));
  }

  /** Adds, renames, widens and drops columns, at the top and in a struct. */
  async evolve(): Promise<void> {
    const type = (text: string) => parsePrimitive(text, 'test');
    await this.#commit(
      new SchemaEvolution(
        [
          { change: 'widen', path: ['small'], type: type('long') },
          { change: 'widen', path: ['single'], type: type('double') },
          { change: 'widen', path: ['d9'], type: type('decimal(12, 3)') },
          { change: 'widen', path: ['d18'], type: type('decimal(30, 6)') },
          { change: 'widen', path: ['d20'], type: type('decimal(38, 6)') },
          { change: 'widen', path: ['person', 'home', 'paid'], type: type('decimal(24, 2)') },
          { change: 'rename', path: ['word'], to: 'Text' },
          { change: 'rename', path: ['person', 'name'], to: 'called' },
          { change: 'drop', path: ['flag'] },
          { change: 'add', path: ['word'], type: type('int'), position: 'first' },
          { change: 'add', path: ['person', 'home', 'town'], type: type('string') },
        ],
        await this.metadata(),
      ),
    );
    this.rows = this.rows.map(({ flag: _flag, word, small, person, ...row }) => ({
      ...row,
      Text: word!,
      word: null,
      small: small === null ? null : BigInt(small as number),
      person: withTown(person!),
    }));
  }

  async partitionBy(partitions: readonly Partition[]): Promise<void> {
    await this.#commit(new PartitionEvolution(partitions.map(partitionField)));
  }

  /** Keeps the newest snapshot, and deletes what only others needed. */
  async expire(): Promise<void> {
    const before = await this.metadata();
    const after = await this.#commit(
      new Expiry({ nowMs: before.lastUpdatedMs + 1, maxSnapshotAgeMs: 0, minSnapshotsToKeep: 1 }),
    );
    const { files } = this.#lake.deps;
    await files.delete(await unreachableFiles(files, before, after));
  }

  /** The files of the newest snapshot, and what is in them. */
  async files(): Promise<DataFile[]> {
    const metadata = await this.metadata();
    const { data } = await planFiles(this.#lake.deps.files, metadata, snapshotOfRef(metadata));
    return data.map(({ file }) => file);
  }

  async #commit(change: TableChange): Promise<TableMetadata> {
    return (await commitChange(this.#lake.catalog, this.name, change, this.#lake.deps)).metadata;
  }

  #change(parts: ConstructorParameters<typeof FileChange>[0]): Promise<TableMetadata> {
    return this.#commit(new FileChange(parts, this.#lake.deps));
  }

  /** One file for each partition. */
  async #write(rows: readonly Row[]): Promise<DataFile[]> {
    const metadata = await this.metadata();
    const [schema, spec] = [currentSchema(metadata), defaultSpec(metadata)];
    const partitionOf = (row: Row) =>
      spec.fields.map(({ sourceId, transform }): Value | null => {
        const { name, type } = schema.column(sourceId)!;
        return transformValue(transform, type as never, row[name] as Value | null);
      });
    const groups = Map.groupBy(rows, (row) => keyOf(partitionOf(row)));
    const written: DataFile[] = [];
    for (const [first, ...others] of groups.values()) {
      const file = await this.#lake.writer.open(schema.columns);
      const group = [first!, ...others];
      await file.append(schema.columns.map(({ name }) => group.map((row): RowValue => row[name] ?? null)));
      const { path: local, ...parts } = await file.finish();
      const path = `${this.location}/data/${this.#files++}.parquet`;
      const target = path.slice('file://'.length);
      await mkdir(dirname(target), { recursive: true });
      await rename(local, target);
      written.push(
        describeFile(
          { path, format: 'PARQUET', partition: partitionOf(first!), ...parts },
          { schema, spec, properties: metadata.properties },
        ),
      );
    }
    return written;
  }
}

/** Of files of position deletes: their ids are those of the format. */
const placeColumns: readonly Column[] = [
  { id: 2_147_483_546, name: 'file_path', isRequired: true, type: { kind: 'string' } },
  { id: 2_147_483_545, name: 'pos', isRequired: true, type: { kind: 'long' } },
];

function partitionField([column, transform]: Partition) {
  return { path: [column], transform: parseTransform(transform, 'test') };
}

function keyOf(partition: readonly (Value | null)[]): string {
  return JSON.stringify(partition.map((value) => (value instanceof Uint8Array ? [...value] : String(value))));
}

function withTown(person: RowValue): RowValue {
  if (person === null) return null;
  const [name, height, home, visits] = person as readonly RowValue[];
  const withIt = home === null ? null : [...(home as readonly RowValue[]), null];
  return [name!, height!, withIt!, visits!];
}
