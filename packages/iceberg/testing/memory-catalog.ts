import type { Clock, Random } from '@weir/core';
import type { Catalog, LoadedTable, TableName } from '../src/catalogs/catalog.ts';
import { randomUuid } from '../src/files/random-uuid.ts';
import type { TableFiles } from '../src/files/table-files.ts';
import { printMetadata } from '../src/metadata/metadata-json.ts';
import type { TableMetadata } from '../src/metadata/table-metadata.ts';
import {
  applyUpdates,
  checkRequirements,
  createFromUpdates,
  type TableCommit,
  type TableUpdate,
} from '../src/metadata/updates.ts';
import { TableExists, TableNotFound } from '../src/table-errors.ts';

interface MemoryCatalogOptions {
  readonly files: TableFiles;
  /** Of tables that name no location. */
  readonly root: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** What a catalog server does: it knows the newest metadata, and writes each version below the table's location. */
export class MemoryCatalog implements Catalog {
  readonly #options: MemoryCatalogOptions;
  readonly #tables = new Map<string, LoadedTable>();
  #versions = 0;

  constructor(options: MemoryCatalogOptions) {
    this.#options = options;
  }

  async create(table: TableName, updates: readonly TableUpdate[]): Promise<LoadedTable> {
    if (this.#tables.has(keyOf(table))) throw new TableExists(keyOf(table));
    const { root, clock } = this.#options;
    const location = { action: 'set-location', location: `${root}/${keyOf(table)}` } as const;
    return this.#put(table, createFromUpdates([location, ...updates], clock.nowMs()));
  }

  async load(table: TableName): Promise<LoadedTable> {
    const found = this.#tables.get(keyOf(table));
    if (found === undefined) throw new TableNotFound(`${keyOf(table)}: there is no such table`);
    return found;
  }

  async commit(table: TableName, { requirements, updates }: TableCommit): Promise<LoadedTable> {
    const { metadata } = await this.load(table);
    checkRequirements(metadata, requirements);
    return this.#put(table, applyUpdates(metadata, updates, this.#options.clock.nowMs()));
  }

  async drop(table: TableName): Promise<void> {
    await this.load(table);
    this.#tables.delete(keyOf(table));
  }

  async list(namespace: readonly string[]): Promise<readonly TableName[]> {
    const start = `${namespace.join('.')}.`;
    const names = [...this.#tables.keys()].filter((key) => key.startsWith(start)).sort();
    return names.map((key) => ({ namespace, name: key.slice(start.length) }));
  }

  /** The commit counts at once, and its file is there before the answer. */
  async #put(table: TableName, metadata: TableMetadata): Promise<LoadedTable> {
    const name = `${String(this.#versions++).padStart(5, '0')}-${randomUuid(this.#options.random)}`;
    const metadataPath = `${metadata.location}/metadata/${name}.metadata.json`;
    const loaded = { metadata, metadataPath };
    this.#tables.set(keyOf(table), loaded);
    await this.#options.files.write(metadataPath, printMetadata(metadata));
    return loaded;
  }
}

function keyOf({ namespace, name }: TableName): string {
  return [...namespace, name].join('.');
}
