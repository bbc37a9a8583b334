/** The port to catalogs: they know which metadata is that of a table, and change it atomically. */
import type { TableMetadata } from '../metadata/table-metadata.ts';
import type { TableCommit, TableUpdate } from '../metadata/updates.ts';

export interface TableName {
  readonly namespace: readonly string[];
  readonly name: string;
}

export interface LoadedTable {
  readonly metadata: TableMetadata;
  /** The URI of the metadata file. */
  readonly metadataPath: string;
}

export interface Catalog {
  /** Throws `TableExists`. Ids in the schema may be given anew: use those of the result. */
  create(table: TableName, updates: readonly TableUpdate[]): Promise<LoadedTable>;
  /** Throws `TableNotFound`. */
  load(table: TableName): Promise<LoadedTable>;
  /**
   * Commits all updates or none. Throws `CommitConflict` if a requirement does not hold or another writer was faster,
   * `CommitUnknown` if it is not known whether the commit happened.
   */
  commit(table: TableName, commit: TableCommit): Promise<LoadedTable>;
  /** Removes the table with its metadata, and with all its files if `purge` is set. Throws `TableNotFound`. */
  drop(table: TableName, options?: { readonly purge?: boolean }): Promise<void>;
  /** Names of the tables of a namespace, in order. */
  list(namespace: readonly string[]): Promise<readonly TableName[]>;
}

/** A name for messages. */
export function shownName({ namespace, name }: TableName): string {
  return [...namespace, name].join('.');
}
