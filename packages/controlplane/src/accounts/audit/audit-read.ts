import { controlPlaneLimits } from '../../limits.ts';

/** Records that a call returned, or several calls that share an entry. */
export interface AuditRead {
  readonly recordCount: number;
  /** With those that a filter left out. */
  readonly scannedCount: number;
  /** The first and last offset that was returned of each partition, by number. */
  readonly partitions: readonly ReadPartition[];
  /** Partitions beyond `auditReadPartitionsMax`, of the call with the most of them. */
  readonly otherPartitionCount: number;
}

interface ReadPartition {
  readonly partition: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
}

/** Returns what a call read, of the records that it returned. */
export function auditReadOf(
  records: readonly { readonly partition: number; readonly offset: number }[],
  scannedCount: number,
): AuditRead {
  const ranges = records.map(({ partition, offset }) => {
    return { partition, firstOffset: offset, lastOffset: offset };
  });
  return { recordCount: records.length, scannedCount, ...joined(ranges) };
}

/** Returns what two calls read together. */
export function joinedReads(one: AuditRead, other: AuditRead): AuditRead {
  const { partitions, otherPartitionCount } = joined([...one.partitions, ...other.partitions]);
  return {
    recordCount: one.recordCount + other.recordCount,
    scannedCount: one.scannedCount + other.scannedCount,
    partitions,
    otherPartitionCount: Math.max(otherPartitionCount, one.otherPartitionCount, other.otherPartitionCount),
  };
}

function joined(ranges: readonly ReadPartition[]): Pick<AuditRead, 'partitions' | 'otherPartitionCount'> {
  const byPartition = new Map<number, ReadPartition>();
  for (const range of ranges) {
    const known = byPartition.get(range.partition) ?? range;
    byPartition.set(range.partition, {
      partition: range.partition,
      firstOffset: Math.min(known.firstOffset, range.firstOffset),
      lastOffset: Math.max(known.lastOffset, range.lastOffset),
    });
  }
  const all = [...byPartition.values()].sort((one, other) => one.partition - other.partition);
  const partitions = all.slice(0, controlPlaneLimits.auditReadPartitionsMax);
  return { partitions, otherPartitionCount: all.length - partitions.length };
}
