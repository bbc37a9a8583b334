/** Expiry of snapshots, and deletion of the files that only they had. */
import { Expiry, type TableMetadata, unreachableFiles } from '@weir/iceberg';
import { tableLimits } from '../limits.ts';
import { commit, type Maintenance, snapshotsOfIngestion } from './maintenance.ts';

interface ExpiryCounts {
  readonly expiredSnapshots: number;
  readonly deletedFiles: number;
}

/** The rules of the properties of the table; by default those of Apache Iceberg, 5 days and at least one. */
function expiryAt(nowMs: number): Expiry {
  return new Expiry({ nowMs, snapshotsMax: tableLimits.tableSnapshotsMax, alsoKept: snapshotsOfIngestion });
}

export function expiredSnapshots(metadata: TableMetadata, nowMs: number): number {
  return expiryAt(nowMs).expiredCount(metadata);
}

export async function expireSnapshots(maintenance: Maintenance): Promise<ExpiryCounts> {
  const { catalog, table, files, clock } = maintenance;
  const { metadata: before } = await catalog.load(table);
  const expiry = expiryAt(clock.nowMs());
  if (expiry.isIn(before)) return { expiredSnapshots: 0, deletedFiles: 0 };
  const { metadata: after } = await commit(maintenance, expiry);
  const kept = new Set(after.snapshots.map(({ id }) => id));
  const expired = before.snapshots.filter(({ id }) => !kept.has(id)).length;
  // A crash from here on leaves files that the clean-up of orphans finds.
  const unreachable = (await unreachableFiles(files, before, after)).filter((path) =>
    // Files elsewhere may be of another table.
    path.startsWith(`${after.location}/`),
  );
  maintenance.signal.throwIfAborted();
  await files.delete(unreachable);
  return { expiredSnapshots: expired, deletedFiles: unreachable.length };
}
