import type { ClusterPort, TopicDescription } from '@weir/cluster';
import { readTopicsWithEnds } from './cluster-reads.ts';
import type { ClusterSnapshotContext } from './cluster-topics-snapshot.ts';

/** Columns by partition. */
interface TopicLogs {
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly sizes: Float64Array;
}

export async function readLogs(
  port: ClusterPort,
  { topicId, partitionCount }: TopicDescription,
  context: ClusterSnapshotContext,
): Promise<TopicLogs> {
  const [found, { byteCount }] = await Promise.all([
    readTopicsWithEnds(port, [{ topicId }], context),
    port.logSizes([topicId]),
  ]);
  // Partitions may be added in between; the ones that all reads have are shown.
  const count = Math.min(found.topicById(topicId)?.partitionCount ?? 0, partitionCount, byteCount.length);
  const starts = new Float64Array(count);
  const ends = new Float64Array(count);
  for (let partition = 0; partition < count; partition++) {
    const at = found.ends(topicId, partition)!;
    starts[partition] = at.logStartOffset;
    ends[partition] = at.nextOffset;
  }
  return { starts, ends, sizes: byteCount.subarray(0, count) };
}

export function sum(column: Float64Array): number {
  return column.reduce((total, value) => total + value, 0);
}

/** Records by their offsets: those that compaction removed and markers count too. */
export function recordsOf({ starts, ends }: Pick<TopicLogs, 'starts' | 'ends'>): number {
  return sum(ends) - sum(starts);
}
