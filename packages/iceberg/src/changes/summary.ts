/** The summary of a snapshot: what it added and removed, and totals, as texts. Query engines plan with the totals. */
import type { DataFile } from '../manifests/data-file.ts';
import type { Snapshot } from '../metadata/snapshot.ts';
import { partitionPath } from '../partitions/partition-path.ts';
import type { PartitionColumn } from '../partitions/partition-spec.ts';

/** Counted things, with the names of their counts in the summary. */
const counted = {
  dataFiles: ['added-data-files', 'deleted-data-files', 'total-data-files'],
  deleteFiles: ['added-delete-files', 'removed-delete-files', 'total-delete-files'],
  records: ['added-records', 'deleted-records', 'total-records'],
  bytes: ['added-files-size', 'removed-files-size', 'total-files-size'],
  positionDeletes: ['added-position-deletes', 'removed-position-deletes', 'total-position-deletes'],
  equalityDeletes: ['added-equality-deletes', 'removed-equality-deletes', 'total-equality-deletes'],
} as const;

type Counts = Record<keyof typeof counted, bigint>;

function countsOf(files: Iterable<DataFile>): Counts {
  const counts: Counts = {
    dataFiles: 0n,
    deleteFiles: 0n,
    records: 0n,
    bytes: 0n,
    positionDeletes: 0n,
    equalityDeletes: 0n,
  };
  for (const { content, recordCount, fileBytes } of files) {
    counts.bytes += fileBytes;
    if (content === 'data') {
      counts.dataFiles++;
      counts.records += recordCount;
    } else {
      counts.deleteFiles++;
      counts[content === 'position-deletes' ? 'positionDeletes' : 'equalityDeletes'] += recordCount;
    }
  }
  return counts;
}

interface SummaryParts {
  readonly added: readonly DataFile[];
  readonly removed: readonly DataFile[];
  readonly parent: Snapshot | undefined;
  readonly columnsOf: (specId: number) => readonly PartitionColumn[];
  /** Of the writer. */
  readonly properties: Readonly<Record<string, string>>;
}

export function summaryOfChange({
  added,
  removed,
  parent,
  columnsOf,
  properties,
}: SummaryParts): Record<string, string> {
  const [plus, minus] = [countsOf(added), countsOf(removed)];
  const summary: Record<string, string> = { ...properties };
  for (const [key, [addedName, removedName, totalName]] of Object.entries(counted) as [
    keyof Counts,
    readonly [string, string, string],
  ][]) {
    if (plus[key] > 0n) summary[addedName] = String(plus[key]);
    if (minus[key] > 0n) summary[removedName] = String(minus[key]);
    const before = parent === undefined ? '0' : parent.summary[totalName];
    // A total that an earlier writer left out stays unknown.
    if (before !== undefined && /^\d{1,18}$/.test(before))
      summary[totalName] = String(BigInt(before) + plus[key] - minus[key]);
  }
  const partitions = new Set(
    [...added, ...removed].map((file) => partitionPath(columnsOf(file.specId), file.partition)),
  );
  summary['changed-partition-count'] = String(partitions.size);
  return summary;
}
