import { buildRecordBatch } from '@weir/wire';

const deltaMax = 2 ** 31 - 2;

/**
 * A batch without records, for offsets at the end of a log that the source does not have any more: compaction removed
 * the records behind its last batch. So the copy ends where the source ends, as batches may cover more offsets than
 * they have records.
 */
export function emptyTail(fromOffset: number, endOffset: number): Buffer {
  return buildRecordBatch([], {
    baseOffset: BigInt(fromOffset),
    lastOffsetDelta: Math.min(endOffset - fromOffset - 1, deltaMax),
    partitionLeaderEpoch: 0,
  });
}
