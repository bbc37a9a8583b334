/** What the steps of maintenance share. */
import type { Clock, Log, Random } from '@weir/core';
import {
  ancestors,
  type Catalog,
  commitChange,
  type DataFiles,
  type LoadedTable,
  type Snapshot,
  snapshotOfRef,
  type TableChange,
  type TableFiles,
  type TableMetadata,
  type TableName,
} from '@weir/iceberg';
import { carriedSummary } from '../append/summary-keys.ts';
import type { TableConfiguration } from '../table-definition.ts';

export interface MaintenanceSettings {
  /** Rows whose column is older are deleted; all are kept if absent. */
  readonly retention?: { readonly column: string; readonly ms: number } | undefined;
  /** Of the files that compaction writes. */
  readonly compression: TableConfiguration['compression'];
  /** Whether files stay as they are, because others know them by their paths. */
  readonly isNeverMerged?: boolean | undefined;
}

/** Of a table and of its kept records. */
export function maintenanceSettings({
  retentionMs,
  deadLetters,
  compression,
}: Pick<TableConfiguration, 'retentionMs' | 'deadLetters' | 'compression'>): {
  readonly rows: MaintenanceSettings;
  readonly deadLetters: MaintenanceSettings;
} {
  const retention = (column: string, ms: number | undefined) =>
    ms === undefined ? undefined : { column, ms };
  return {
    rows: { retention: retention('kafka_timestamp', retentionMs), compression },
    // Files of kept records are replayed one by one.
    deadLetters: {
      retention: retention('failed_at', deadLetters.retentionMs),
      compression,
      isNeverMerged: true,
    },
  };
}

/** One table, and what its maintenance needs. */
export interface Maintenance {
  readonly catalog: Catalog;
  readonly table: TableName;
  readonly files: TableFiles;
  readonly dataFiles: DataFiles;
  readonly settings: MaintenanceSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called by the clean-up: whether the files that the table refers to exist, and which ones do not. */
  readonly onVerified?: ((outcome: VerifierOutcome, missing: readonly string[]) => void) | undefined;
}

export type VerifierOutcome = 'success' | 'missing' | 'error';

export function commit(maintenance: Maintenance, change: TableChange): Promise<LoadedTable> {
  maintenance.signal.throwIfAborted();
  return commitChange(maintenance.catalog, maintenance.table, change, maintenance);
}

/**
 * The snapshots from the newest to the last one that has a property of ingestion which no newer one has, such as source
 * offsets. All of them are needed: properties are looked for from parent to parent.
 */
export function snapshotsOfIngestion(metadata: TableMetadata): Snapshot[] {
  const missing = new Set(Object.keys(carriedSummary(metadata)));
  const needed: Snapshot[] = [];
  for (const snapshot of ancestors(metadata, snapshotOfRef(metadata))) {
    if (missing.size === 0) break;
    needed.push(snapshot);
    for (const key of Object.keys(snapshot.summary)) missing.delete(key);
  }
  return needed;
}
