/** Retention: files all of whose rows are older than the table keeps them are deleted, files with younger rows wait. */
import {
  ChangeRefused,
  currentSchema,
  type DataFile,
  FileChange,
  planFiles,
  snapshotOfRef,
  type TableMetadata,
} from '@weir/iceberg';
import { carriedSummary } from '../append/summary-keys.ts';
import { commit, type Maintenance } from './maintenance.ts';

interface RetentionCounts {
  readonly removedFiles: number;
  readonly removedRows: number;
}

const none: RetentionCounts = { removedFiles: 0, removedRows: 0 };
/** Plans again so often when another writer changed the files meanwhile. */
const plansMax = 3;

export async function retainRows(maintenance: Maintenance): Promise<RetentionCounts> {
  const { catalog, table, settings, clock, log } = maintenance;
  if (settings.retention === undefined) return none;
  const { column, ms } = settings.retention;
  const beforeMs = clock.nowMs() - ms;
  for (let plan = 1; ; plan++) {
    const { metadata } = await catalog.load(table);
    const expired = await expiredFiles(maintenance, metadata, column, beforeMs);
    if (expired.length === 0) return none;
    const removed = expired.map(({ path }) => path);
    try {
      await commit(
        maintenance,
        new FileChange({ operation: 'delete', removed, summary: carriedSummary }, maintenance),
      );
      const removedRows = expired.reduce((sum, { recordCount }) => sum + Number(recordCount), 0);
      return { removedFiles: expired.length, removedRows };
    } catch (error) {
      if (!(error instanceof ChangeRefused) || plan === plansMax) throw error;
      log.debug('retrying retention of table', { error: error.message });
    }
  }
}

/**
 * All files but those that may have a row that is young enough or has no time. What partitions and bounds do not say is
 * taken for young.
 */
async function expiredFiles(
  { files, log }: Maintenance,
  metadata: TableMetadata,
  name: string,
  beforeMs: number,
): Promise<DataFile[]> {
  const column = currentSchema(metadata).find([name]);
  if (column?.type.kind !== 'timestamptz') {
    log.warn('failed to find column of retention', { column: name });
    return [];
  }
  const { id } = column;
  const snapshot = snapshotOfRef(metadata);
  const kept = await planFiles(files, metadata, snapshot, {
    op: 'or',
    filters: [
      { op: '>=', id, value: BigInt(beforeMs) * 1000n },
      { op: 'is-null', id },
    ],
  });
  const keptPaths = new Set(kept.data.map(({ file }) => file.path));
  const { data } = await planFiles(files, metadata, snapshot);
  return data.map(({ file }) => file).filter(({ path }) => !keptPaths.has(path));
}
