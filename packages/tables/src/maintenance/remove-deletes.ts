/** Removes files of deletes that are about no data file any more, because compaction left out their rows. */
import { ChangeRefused, FileChange, planFiles, snapshotOfRef } from '@weir/iceberg';
import { carriedSummary } from '../append/summary-keys.ts';
import { TableDeletes } from '../parquet/table-deletes.ts';
import { commit, type Maintenance } from './maintenance.ts';

/** How many it removed. */
export async function removeSpentDeletes(maintenance: Maintenance): Promise<number> {
  const { catalog, table, files, log } = maintenance;
  const { metadata } = await catalog.load(table);
  const snapshot = snapshotOfRef(metadata);
  const { data, deletes } = await planFiles(files, metadata, snapshot);
  const removed = new TableDeletes(deletes, metadata).spent(data).map(({ file }) => file.path);
  if (snapshot === undefined || removed.length === 0) return 0;
  const { id: plannedOn, sequenceNumber: dataSequenceNumber } = snapshot;
  try {
    const parts = { removed, plannedOn, dataSequenceNumber, summary: carriedSummary };
    await commit(maintenance, new FileChange({ operation: 'replace', ...parts }, maintenance));
  } catch (error) {
    if (!(error instanceof ChangeRefused)) throw error;
    log.debug('failed to remove spent deletes of table', { error: error.message });
    return 0;
  }
  return removed.length;
}
