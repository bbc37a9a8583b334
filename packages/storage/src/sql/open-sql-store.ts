import type { Log } from '@weir/core';
import type { ObjectStore } from '../store/object-store.ts';
import { isRetriableError, StoreError } from '../store/store-error.ts';
import { sqlStore } from './sql-store.ts';
import { parsePostgresUrl, parseSqliteUrl } from './sql-url.ts';

/** The server may be away; calls fail until it is back. */
export async function openPostgresStore(url: URL, deps: { readonly log: Log }): Promise<ObjectStore> {
  const place = parsePostgresUrl(url);
  const { postgresThread } = await import('./postgres-thread.ts');
  return sqlStore(postgresThread(place, deps));
}

export async function createSqliteStore(url: URL): Promise<void> {
  const place = parseSqliteUrl(url);
  const { createSqliteBucket } = await import('./sqlite-schema.ts');
  createSqliteBucket(place);
}

export async function openSqliteStore(url: URL): Promise<ObjectStore> {
  const place = parseSqliteUrl(url);
  const { sqliteTables } = await import('./sqlite-tables.ts');
  const tables = sqliteTables(place);
  try {
    await tables.open();
  } catch (error) {
    // A file that is locked may be free when it is needed, and a missing one may be made.
    if (!isRetriableError(error) && !(error instanceof StoreError && error.kind === 'bucketMissing')) {
      await tables.close();
      throw error;
    }
  }
  return sqlStore(tables);
}
