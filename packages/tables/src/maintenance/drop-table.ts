import type { Log } from '@weir/core';
import { type Catalog, commonUri, type TableFiles, type TableName, TableNotFound } from '@weir/iceberg';

interface DroppedTable {
  readonly catalog: Catalog;
  readonly table: TableName;
  readonly files: TableFiles;
  /** The URI that the files of the table, and no others, are below. */
  readonly location: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Removes a deleted table from its catalog, and all files below its location. It may be called again after a crash, and
 * after the table is gone. Files stay if the table says that they belong to others too. Returns how many were deleted.
 */
export async function dropTable(dropped: DroppedTable): Promise<number> {
  const { catalog, table, files, location, log, signal } = dropped;
  try {
    const { metadata } = await catalog.load(table);
    if (
      commonUri(metadata.location) !== commonUri(location) ||
      metadata.properties['gc.enabled'] === 'false'
    ) {
      await catalog.drop(table);
      log.info('dropped table and left its files', { location: metadata.location });
      return 0;
    }
    await catalog.drop(table);
  } catch (error) {
    if (!(error instanceof TableNotFound)) throw error;
    // A drop before this one may have ended in between. A folder that does not have the name is not deleted unseen.
    if (!location.endsWith(`/${table.name}`)) return 0;
  }
  let deleted = 0;
  for await (const page of files.list(`${location}/`)) {
    signal.throwIfAborted();
    await files.delete(page.map(({ path }) => path));
    deleted += page.length;
  }
  return deleted;
}
