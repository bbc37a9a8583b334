/**
 * The catalog of AWS Glue, by its classic API. A table of Glue names the metadata file of the Iceberg table:
 *
 *     Parameters: {table_type: ICEBERG, metadata_location, previous_metadata_location}
 *     <root>/<database>.db/<table>/metadata/<version>-<uuid>.metadata.json
 *
 * A commit writes the next metadata file under a name that was never used, and then has Glue name it instead, under the
 * condition that the table still has the version that was read. Of several writers one wins.
 */
import type { Clock, Log } from '@weir/core';
import { randomUuid } from '../../files/random-uuid.ts';
import { readNeeded, type TableFiles } from '../../files/table-files.ts';
import type { JsonObject } from '../../json/exact-json.ts';
import { ObjectReader } from '../../json/json-reader.ts';
import { icebergLimits } from '../../limits.ts';
import { parseMetadata, printMetadata } from '../../metadata/metadata-json.ts';
import { currentSchema, type TableMetadata } from '../../metadata/table-metadata.ts';
import {
  applyUpdates,
  checkRequirements,
  createFromUpdates,
  type TableCommit,
  type TableUpdate,
} from '../../metadata/updates.ts';
import { reachableFiles } from '../../scan/reachable-files.ts';
import {
  CommitConflict,
  CommitUnknown,
  InvalidTable,
  TableExists,
  TableNotFound,
} from '../../table-errors.ts';
import { type Catalog, type LoadedTable, shownName, type TableName } from '../catalog.ts';
import { deletesForgotten, rememberPrevious } from '../metadata-log.ts';
import { AnswerLost } from '../server-request.ts';
import { glueColumns } from './glue-columns.ts';
import { type GlueAction, GlueConnection, type GlueOptions, GlueProblem } from './glue-connection.ts';

interface GlueCatalogOptions extends GlueOptions {
  readonly files: TableFiles;
  /** The URI below which tables are that name no location. */
  readonly root: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** A table as Glue has it. */
interface GlueTable {
  readonly json: ObjectReader;
  readonly metadataPath: string;
  /** Changes with every update. */
  readonly versionId: string | undefined;
}

/** What Glue keeps of a table beside what a commit writes; the next update has to say it again. */
const keptFields = ['Description', 'Owner', 'Retention', 'PartitionKeys', 'TargetTable'];
/** What Glue and Athena agree on; Glue itself would turn capital letters into small ones. */
const safeName = /^[a-z0-9_]{1,255}$/;
/** Pages of a list that are read; a server that never ends is not followed. */
const pagesMax = 10_000;

export class GlueCatalog implements Catalog {
  readonly #options: GlueCatalogOptions;
  readonly #files: TableFiles;
  readonly #connection: GlueConnection;

  constructor(options: GlueCatalogOptions) {
    this.#options = options;
    this.#files = options.files;
    this.#connection = new GlueConnection(options);
  }

  async create(table: TableName, updates: readonly TableUpdate[]): Promise<LoadedTable> {
    const database = databaseOf(table);
    if ((await this.#find(table)) !== undefined) throw exists(table);
    const placed = updates.find((update) => update.action === 'set-location')?.location;
    const root = this.#options.root.replace(/\/+$/, '');
    const location = (placed ?? `${root}/${database}.db/${table.name}`).replace(/\/+$/, '');
    const metadata = createFromUpdates(
      [...updates, { action: 'set-location', location }],
      this.#options.clock.nowMs(),
    );
    const metadataPath = await this.#write(metadata, 0);
    const input = { DatabaseName: database, TableInput: tableInput(table, metadata, metadataPath) };
    try {
      await this.#call('CreateTable', input).catch(async (error: unknown) => {
        if (!isProblem(error, 'EntityNotFoundException')) throw error;
        await this.#createDatabase(database);
        await this.#call('CreateTable', input);
      });
    } catch (error) {
      if (error instanceof AnswerLost) {
        const outcome = await this.#outcome(table, metadataPath, undefined);
        if (outcome === 'unknown') throw unknown(table, error);
        if (outcome === 'ours') return { metadata, metadataPath };
      }
      await this.#deleteUnused(table, [metadataPath]);
      if (error instanceof AnswerLost || isProblem(error, 'AlreadyExistsException'))
        throw exists(table, error);
      throw error;
    }
    return { metadata, metadataPath };
  }

  async load(table: TableName): Promise<LoadedTable> {
    const { metadata, found } = await this.#load(table);
    return { metadata, metadataPath: found.metadataPath };
  }

  async commit(table: TableName, { requirements, updates }: TableCommit): Promise<LoadedTable> {
    const { metadata: before, found } = await this.#load(table);
    const { versionId } = found;
    if (versionId === undefined)
      throw new InvalidTable(
        `${shownName(table)}: Glue names no version of the table, so none can be checked`,
      );
    checkRequirements(before, requirements);
    const updated = applyUpdates(before, updates, this.#options.clock.nowMs());
    const previous = { timestampMs: before.lastUpdatedMs, path: found.metadataPath };
    const { metadata, forgotten } = rememberPrevious(updated, previous);
    const metadataPath = await this.#write(metadata, versionIn(found.metadataPath) + 1);
    try {
      await this.#call('UpdateTable', {
        DatabaseName: databaseOf(table),
        TableInput: tableInput(table, metadata, metadataPath, found),
        VersionId: versionId,
        // Old versions count against a quota of the account; Iceberg has its own history.
        SkipArchive: true,
      });
    } catch (error) {
      if (error instanceof AnswerLost) {
        const outcome = await this.#outcome(table, metadataPath, versionId);
        if (outcome === 'unknown') throw unknown(table, error);
        if (outcome === 'ours') return { metadata, metadataPath };
      }
      await this.#deleteUnused(table, [metadataPath]);
      if (error instanceof AnswerLost || isProblem(error, 'ConcurrentModificationException'))
        throw new CommitConflict(
          `${shownName(table)}: another writer committed at the same time; load the table again`,
          { cause: error },
        );
      if (isProblem(error, 'EntityNotFoundException')) throw notFound(table);
      throw error;
    }
    if (deletesForgotten(metadata))
      await this.#deleteUnused(
        table,
        // Only files that belong to this table.
        forgotten.map(({ path }) => path).filter((path) => path.startsWith(`${metadataFolder(metadata)}/`)),
      );
    return { metadata, metadataPath };
  }

  /**
   * Without `purge` the files stay, as with all programs that use Glue. With it those go that the table refers to:
   * others may have files below its location.
   */
  async drop(table: TableName, { purge = false }: { readonly purge?: boolean } = {}): Promise<void> {
    // Read before the table is gone: afterwards nothing names its files.
    const paths = purge ? await this.#allFiles(table) : [];
    if (!purge && (await this.#find(table)) === undefined) throw notFound(table);
    try {
      await this.#call('DeleteTable', { DatabaseName: databaseOf(table), Name: table.name });
    } catch (error) {
      if (isProblem(error, 'EntityNotFoundException')) throw notFound(table);
      if (error instanceof AnswerLost) throw unknown(table, error);
      throw error;
    }
    await this.#files.delete(paths);
  }

  async list(namespace: readonly string[]): Promise<readonly TableName[]> {
    const database = databaseOf({ namespace, name: 'any' });
    const tables: TableName[] = [];
    let token: string | undefined;
    for (let page = 0; page < pagesMax; page++) {
      let answer: ObjectReader;
      try {
        answer = await this.#call('GetTables', { DatabaseName: database, NextToken: token });
      } catch (error) {
        if (isProblem(error, 'EntityNotFoundException')) return [];
        throw error;
      }
      for (const one of answer.listIfAny('TableList', (json, place) => new ObjectReader(json, place)) ?? [])
        if (isIceberg(one)) tables.push({ namespace, name: one.text('Name') });
      token = answer.textIfAny('NextToken');
      if (token === undefined || token === '')
        return tables.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    }
    throw new InvalidTable(`${database}: Glue lists tables without an end`);
  }

  async #load(table: TableName) {
    const found = await this.#find(table);
    if (found === undefined) throw notFound(table);
    return { found, metadata: await this.#read(found.metadataPath) };
  }

  async #read(path: string): Promise<TableMetadata> {
    return parseMetadata(await readNeeded(this.#files, path, icebergLimits.tableMetadataBytesMax), path);
  }

  async #find(table: TableName): Promise<GlueTable | undefined> {
    let answer: ObjectReader;
    try {
      answer = await this.#call('GetTable', { DatabaseName: databaseOf(table), Name: table.name });
    } catch (error) {
      if (isProblem(error, 'EntityNotFoundException')) return undefined;
      throw error;
    }
    const json = answer.object('Table');
    if (!isIceberg(json))
      throw new InvalidTable(`${shownName(table)}: the table of Glue is no Iceberg table`);
    const metadataPath = json.object('Parameters').text('metadata_location');
    return { json, metadataPath, versionId: json.textIfAny('VersionId') };
  }

  /** Writes a metadata file that nothing refers to yet. */
  async #write(metadata: TableMetadata, version: number): Promise<string> {
    const name = `${String(version).padStart(5, '0')}-${randomUuid(this.#options.random)}.metadata.json`;
    const path = `${metadataFolder(metadata)}/${name}`;
    const content = printMetadata(metadata);
    // A version that cannot be read would end the table: no later one can be committed.
    parseMetadata(content, path);
    await this.#files.write(path, content);
    return path;
  }

  /**
   * What became of a change whose answer was lost. If the table has another version and not our file, then our change
   * was or will be refused, because it is for the version of before.
   */
  async #outcome(
    table: TableName,
    metadataPath: string,
    versionId: string | undefined,
  ): Promise<'ours' | 'others' | 'unknown'> {
    try {
      const found = await this.#find(table);
      if (found === undefined) return 'unknown';
      if (found.metadataPath === metadataPath) return 'ours';
      const { metadataLog } = await this.#read(found.metadataPath);
      if (metadataLog.some(({ path }) => path === metadataPath)) return 'ours';
      return found.versionId === versionId ? 'unknown' : 'others';
    } catch {
      return 'unknown';
    }
  }

  async #allFiles(table: TableName): Promise<string[]> {
    const { found, metadata } = await this.#load(table);
    if (metadata.properties['gc.enabled'] === 'false')
      throw new InvalidTable(
        `${shownName(table)}: files are not deleted, because the property gc.enabled says that others need them`,
      );
    const { paths } = await reachableFiles(this.#files, metadata);
    return [...paths, ...metadata.metadataLog.map(({ path }) => path), found.metadataPath];
  }

  async #createDatabase(name: string): Promise<void> {
    try {
      await this.#call('CreateDatabase', { DatabaseInput: { Name: name } });
    } catch (error) {
      // Another process may have been faster; after a lost answer the next request finds out.
      if (!isProblem(error, 'AlreadyExistsException') && !(error instanceof AnswerLost)) throw error;
    }
  }

  async #deleteUnused(table: TableName, paths: readonly string[]): Promise<void> {
    await this.#files.delete(paths).catch((error: unknown) => {
      this.#options.log.warn('failed to delete metadata of table', {
        table: shownName(table),
        error: String(error),
      });
    });
  }

  #call(action: GlueAction, input: JsonObject): Promise<ObjectReader> {
    return this.#connection.call(action, input);
  }
}

function databaseOf({ namespace, name }: TableName): string {
  const [database, ...more] = namespace;
  if (database === undefined || more.length > 0)
    throw new InvalidTable(`${namespace.join('.')}: a namespace of Glue is the name of one database`);
  for (const part of [database, name])
    if (!safeName.test(part))
      throw new InvalidTable(
        `"${part.slice(0, 100)}": names of databases and tables in Glue have small letters, digits and _, at most 255`,
      );
  return database;
}

function tableInput(
  { name }: TableName,
  metadata: TableMetadata,
  metadataPath: string,
  previous?: GlueTable,
): JsonObject {
  const kept = keptFields.map((field) => [field, previous?.json.raw(field)]);
  const { previous_metadata_location: _older, ...parameters } = previous?.json.texts('Parameters') ?? {};
  const storage = previous?.json.raw('StorageDescriptor') as JsonObject | undefined;
  return {
    ...(Object.fromEntries(kept) as JsonObject),
    Name: name,
    TableType: 'EXTERNAL_TABLE',
    Parameters: {
      ...parameters,
      table_type: 'ICEBERG',
      metadata_location: metadataPath,
      previous_metadata_location: previous?.metadataPath,
    },
    StorageDescriptor: {
      ...storage,
      Location: metadata.location,
      Columns: glueColumns(currentSchema(metadata)),
    },
  };
}

function isIceberg(table: ObjectReader): boolean {
  return table.texts('Parameters').table_type?.toUpperCase() === 'ICEBERG';
}

function metadataFolder({ location }: TableMetadata): string {
  return `${location.replace(/\/+$/, '')}/metadata`;
}

/** The number at the beginning of the name of a metadata file; other programs may have other names. */
function versionIn(path: string): number {
  return Number(/\/(\d{1,9})-[^/]*$/.exec(path)?.[1] ?? 0);
}

function isProblem(error: unknown, type: string): boolean {
  return error instanceof GlueProblem && error.type === type;
}

function notFound(table: TableName): TableNotFound {
  return new TableNotFound(`${shownName(table)}: there is no such table`);
}

function exists(table: TableName, cause?: unknown): TableExists {
  return new TableExists(`${shownName(table)}: the table exists`, { cause });
}

function unknown(table: TableName, cause: AnswerLost): CommitUnknown {
  return new CommitUnknown(
    `${shownName(table)}: it is not known whether the change was made: ${cause.message}`,
    { cause },
  );
}
