/** What is due, from table metadata alone: a table without changes costs nothing. */
import { ancestors, snapshotOfRef, type TableMetadata } from '@weir/iceberg';
import { tableLimits } from '../limits.ts';
import { cleanedUpAtMs } from './clean-up.ts';
import { targetBytesOf } from './compact.ts';
import { expiredSnapshots } from './expire-snapshots.ts';
import type { MaintenanceSettings } from './maintenance.ts';

/** `clean-up` does the others too, for what is left of them. */
export type MaintenanceStep = 'retention' | 'compaction' | 'expiry' | 'clean-up';

interface DueOptions {
  readonly settings: MaintenanceSettings;
  readonly nowMs: number;
  /** When maintenance of the table ended last, as far as the caller knows. */
  readonly lastRunMs?: number | undefined;
}

const minuteMs = 60_000;
/** Rows stay at most so much longer than their retention before it is looked after. */
const checksPerRetention = 20;

export function maintenanceDue(metadata: TableMetadata, options: DueOptions): MaintenanceStep[] {
  const { settings, nowMs, lastRunMs = 0 } = options;
  const { retention } = settings;
  const { tableCleanUpMs, tableOrphanAgeMs, expiredSnapshotsMin } = tableLimits;
  const newest = snapshotOfRef(metadata);
  if (newest === undefined) return [];
  const due: MaintenanceStep[] = [];
  // A new table has a day before it is cleaned up first.
  const cleanedMs = cleanedUpAtMs(metadata) ?? Math.min(...metadata.snapshots.map((one) => one.timestampMs));
  const expired = expiredSnapshots(metadata, nowMs);
  if (retention !== undefined && newest.summary['total-records'] !== '0') {
    const everyMs = Math.max(5 * minuteMs, Math.min(retention.ms / checksPerRetention, tableCleanUpMs));
    if (nowMs - Math.max(lastRunMs, cleanedMs) >= everyMs) due.push('retention');
  }
  if (settings.isNeverMerged !== true && areSmallFilesMany(metadata, lastRunMs)) due.push('compaction');
  if (expired >= expiredSnapshotsMin) due.push('expiry');
  // Some days after the last change the files of a crash are old enough, and there is no more to do.
  const isInUse = cleanedMs < newest.timestampMs + tableOrphanAgeMs + tableCleanUpMs;
  if (nowMs - cleanedMs >= tableCleanUpMs && (isInUse || expired > 0)) due.push('clean-up');
  return due;
}

/** Whether there were several appends of small files since the last compaction, or since it was looked for. */
function areSmallFilesMany(metadata: TableMetadata, sinceMs: number): boolean {
  let [appends, files, bytes] = [0, 0, 0];
  for (const { operation, summary, timestampMs } of ancestors(metadata, snapshotOfRef(metadata))) {
    const added = Number(summary['added-data-files'] ?? 0);
    if (timestampMs <= sinceMs || (operation === 'replace' && added > 0)) break;
    if (added > 0) appends++;
    files += added;
    bytes += Number(summary['added-files-size'] ?? 0);
  }
  return appends >= tableLimits.compactionAppendsMin && bytes / files < targetBytesOf(metadata) / 2;
}
