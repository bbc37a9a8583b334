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
import type { TableConfiguration } from '../table-definition.ts';

export interface MaintenanceSettings {
  /** Rows whose column is older are deleted; all are kept if absent. */
  readonly retention?: { readonly column: string; readonly ms: number } | undefined;
  /** Of the files that compaction writes. */
  readonly compression: TableConfiguration['compression'];
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
    deadLetters: { retention: retention('failed_at', deadLetters.retentionMs), compression },
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
}

export function commit(maintenance: Maintenance, change: TableChange): Promise<LoadedTable> {
  maintenance.signal.throwIfAborted();
  return commitChange(maintenance.catalog, maintenance.table, change, maintenance);
}

/** Properties in summaries of snapshots that belong to ingestion, such as source offsets. */
const ingestionPrefix = 'service.';

/**
 * What a snapshot that adds no records copies from those before it, so that the newest one has it whatever expires: the
 * newest value of each property of ingestion. It has to come from the state that the change is made on.
 */
export function carriedSummary(metadata: TableMetadata): Record<string, string> {
  const carried: Record<string, string> = {};
  for (const { summary } of ancestors(metadata, snapshotOfRef(metadata)))
    for (const [key, value] of Object.entries(summary))
      if (key.startsWith(ingestionPrefix) && !Object.hasOwn(carried, key)) carried[key] = value;
  return carried;
}

/**
 * The snapshots from the newest to the last one whose properties of ingestion no newer one has. All of them are needed:
 * offsets are looked for from parent to parent.
 */
export function snapshotsOfIngestion(metadata: TableMetadata): Snapshot[] {
  const chain = [...ancestors(metadata, snapshotOfRef(metadata))];
  const found = new Set<string>();
  let length = 0;
  for (const [at, { summary }] of chain.entries()) {
    for (const key of Object.keys(summary)) {
      if (!key.startsWith(ingestionPrefix) || found.has(key)) continue;
      found.add(key);
      length = at + 1;
    }
  }
  return chain.slice(0, length);
}
