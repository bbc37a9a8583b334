/**
 * A catalog without a server: tables are folders of a bucket.
 *
 *     <root>/<namespace>/<table>/metadata/v1.metadata.json
 *                                         v2.metadata.json      the newest one is the table
 *                                         version-hint.text     2
 *
 * A commit writes the next version by a conditional put, which of several writers one wins; then the hint. The hint may
 * be behind, or missing after a crash: versions are contiguous, so readers look on from there. Engines read such
 * folders as tables of the Hadoop catalog. They must not write them: those that rename files overwrite a version.
 */
import type { Clock, Log } from '@weir/core';
import type { TableFiles } from '../files/table-files.ts';
import { icebergLimits } from '../limits.ts';
import { parseMetadata, printMetadata } from '../metadata/metadata-json.ts';
import type { MetadataLogEntry, TableMetadata } from '../metadata/table-metadata.ts';
import {
  applyUpdates,
  checkRequirements,
  createFromUpdates,
  type TableCommit,
  type TableUpdate,
} from '../metadata/updates.ts';
import { CommitConflict, CommitUnknown, InvalidTable, TableExists, TableNotFound } from '../table-errors.ts';
import { type Catalog, type LoadedTable, shownName, type TableName } from './catalog.ts';
import { deletesForgotten, rememberPrevious } from './metadata-log.ts';

interface ObjectStoreCatalogOptions {
  readonly files: TableFiles;
  /** The URI that namespaces are below. */
  readonly root: string;
  readonly clock: Clock;
  readonly log: Log;
}

interface Version {
  readonly number: number;
  readonly content: Buffer;
}

/** Versions that are looked for one by one after the hint, before the folder is listed. */
const probesMax = 32;
const hintBytesMax = 100;
const versionName = /\/v(\d{1,15})\.metadata\.json$/;
/** Names are parts of paths, in URIs and on disks. */
const safeName = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$/;

export class ObjectStoreCatalog implements Catalog {
  readonly #files: TableFiles;
  readonly #root: string;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor({ files, root, clock, log }: ObjectStoreCatalogOptions) {
    this.#files = files;
    this.#root = root.replace(/\/+$/, '');
    this.#clock = clock;
    this.#log = log;
  }

  async create(table: TableName, updates: readonly TableUpdate[]): Promise<LoadedTable> {
    const location = this.#location(table);
    // A table lies where its name says, or it would not be found again.
    const placed = updates.find((update) => update.action === 'set-location');
    if (placed !== undefined && placed.location.replace(/\/+$/, '') !== location)
      throw new InvalidTable(`${shownName(table)}: a table of this catalog lies in ${location}`);
    if ((await this.#newest(location)) !== undefined)
      throw new TableExists(`${shownName(table)}: the table exists`);
    const created = createFromUpdates(
      [...updates, { action: 'set-location', location }],
      this.#clock.nowMs(),
    );
    try {
      return await this.#write(table, location, created, 1);
    } catch (error) {
      if (error instanceof CommitConflict)
        throw new TableExists(`${shownName(table)}: the table exists`, { cause: error });
      throw error;
    }
  }

  async load(table: TableName): Promise<LoadedTable> {
    const { metadata, path } = await this.#load(table);
    return { metadata, metadataPath: path };
  }

  async commit(table: TableName, { requirements, updates }: TableCommit): Promise<LoadedTable> {
    const { metadata, path, number, location } = await this.#load(table);
    checkRequirements(metadata, requirements);
    const updated = applyUpdates(metadata, updates, this.#clock.nowMs());
    if (updated.location !== location)
      throw new InvalidTable(`${shownName(table)}: tables of this catalog cannot be moved`);
    const next = rememberPrevious(updated, { timestampMs: metadata.lastUpdatedMs, path });
    const committed = await this.#write(table, location, next.metadata, number + 1);
    if (deletesForgotten(updated)) await this.#deleteOld(table, location, next.forgotten);
    return committed;
  }

  async drop(table: TableName, { purge = false }: { readonly purge?: boolean } = {}): Promise<void> {
    const location = this.#location(table);
    if ((await this.#newest(location)) === undefined) throw notFound(table);
    // A commit at the same time may write one more version, hence again until there is none.
    for (
      let versions = await this.#versions(location);
      versions.length > 0;
      versions = await this.#versions(location)
    ) {
      // The oldest first: a crash leaves the newest state, and never an older one.
      for (const number of versions.toSorted((a, b) => a - b))
        await this.#files.delete([versionPath(location, number)]);
    }
    await this.#files.delete([hintPath(location)]);
    if (!purge) return;
    for await (const page of this.#files.list(`${location}/`))
      await this.#files.delete(page.map(({ path }) => path));
  }

  async list(namespace: readonly string[]): Promise<readonly TableName[]> {
    for (const part of namespace) checkName(part);
    const folder = `${[this.#root, ...namespace].join('/')}/`;
    const names = new Set<string>();
    for await (const page of this.#files.list(folder)) {
      for (const { path } of page) {
        // A table of this namespace, and not of one within it.
        const [name, metadata, ...file] = path.slice(folder.length).split('/');
        if (metadata === 'metadata' && file.length === 1 && versionName.test(`/${file[0]}`)) names.add(name!);
      }
    }
    return [...names].sort().map((name) => ({ namespace, name }));
  }

  #location({ namespace, name }: TableName): string {
    for (const part of [...namespace, name]) checkName(part);
    return [this.#root, ...namespace, name].join('/');
  }

  async #load(table: TableName) {
    const location = this.#location(table);
    const version = await this.#newest(location);
    if (version === undefined) throw notFound(table);
    const path = versionPath(location, version.number);
    const metadata = parseMetadata(version.content, path);
    return { metadata, path, number: version.number, location };
  }

  /** The newest version: from the hint on, or by a list if the hint is of no use. */
  async #newest(location: string): Promise<Version | undefined> {
    const hint = Number(
      (await this.#files.read(hintPath(location), hintBytesMax))?.toString().trim() ?? Number.NaN,
    );
    const hinted = Number.isSafeInteger(hint) && hint > 0 ? await this.#read(location, hint) : undefined;
    let newest = hinted ?? (await this.#lastListed(location));
    for (let probes = 0; newest !== undefined; probes++) {
      if (probes === probesMax) {
        newest = (await this.#lastListed(location)) ?? newest;
      }
      const next = await this.#read(location, newest.number + 1);
      if (next === undefined) return newest;
      newest = next;
    }
    return undefined;
  }

  async #lastListed(location: string): Promise<Version | undefined> {
    const versions = await this.#versions(location);
    return versions.length === 0 ? undefined : this.#read(location, Math.max(...versions));
  }

  async #versions(location: string): Promise<number[]> {
    const numbers: number[] = [];
    for await (const page of this.#files.list(`${location}/metadata/v`)) {
      for (const { path } of page) {
        const number = versionName.exec(path)?.[1];
        if (number !== undefined) numbers.push(Number(number));
      }
    }
    return numbers;
  }

  async #read(location: string, number: number): Promise<Version | undefined> {
    const content = await this.#files.read(
      versionPath(location, number),
      icebergLimits.tableMetadataBytesMax,
    );
    return content === undefined ? undefined : { number, content };
  }

  async #write(
    table: TableName,
    location: string,
    metadata: TableMetadata,
    number: number,
  ): Promise<LoadedTable> {
    const content = printMetadata(metadata);
    const path = versionPath(location, number);
    // A version that cannot be read would end the table: no later one can be committed.
    parseMetadata(content, path);
    if (!(await this.#put(table, location, content, number)))
      throw new CommitConflict(
        `${shownName(table)}: another writer committed version ${number}; load the table again`,
      );
    await this.#files.replace(hintPath(location), Buffer.from(String(number))).catch((error: unknown) => {
      // Readers look on from the older hint.
      this.#log.warn('failed to write version hint of table', {
        table: shownName(table),
        error: String(error),
      });
    });
    return { metadata, metadataPath: path };
  }

  /** Writes a version; whether it is ours. A lost answer is resolved by reading what is there. */
  async #put(table: TableName, location: string, content: Buffer, number: number): Promise<boolean> {
    let failure: unknown;
    try {
      if (await this.#files.writeIfAbsent(versionPath(location, number), content)) return true;
    } catch (error) {
      failure = error;
    }
    const found = await this.#read(location, number).catch((error: unknown) => {
      throw new CommitUnknown(
        `${shownName(table)}: it is not known whether version ${number} was committed`,
        { cause: failure ?? error },
      );
    });
    if (found !== undefined) return found.content.equals(content);
    // The put failed, but may still be on its way.
    throw new CommitUnknown(`${shownName(table)}: it is not known whether version ${number} was committed`, {
      cause: failure,
    });
  }

  async #deleteOld(
    table: TableName,
    location: string,
    forgotten: readonly MetadataLogEntry[],
  ): Promise<void> {
    // Only files that this catalog wrote.
    const paths = forgotten
      .map(({ path }) => path)
      .filter((path) => path.startsWith(`${location}/metadata/v`));
    await this.#files.delete(paths).catch((error: unknown) => {
      this.#log.warn('failed to delete old metadata of table', {
        table: shownName(table),
        error: String(error),
      });
    });
  }
}

function checkName(name: string): void {
  if (!safeName.test(name))
    throw new InvalidTable(
      `"${name.slice(0, 100)}": names of tables and namespaces have letters, digits, _, - and ., at most 200`,
    );
}

function notFound(table: TableName): TableNotFound {
  return new TableNotFound(`${shownName(table)}: there is no such table`);
}

function versionPath(location: string, number: number): string {
  return `${location}/metadata/v${number}.metadata.json`;
}

function hintPath(location: string): string {
  return `${location}/metadata/version-hint.text`;
}
