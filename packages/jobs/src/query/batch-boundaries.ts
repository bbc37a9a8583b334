import type { ReadPath } from '@weir/broker';
import { DamagedRange } from '@weir/broker';
import type { BoundaryAnswer, BoundaryQuery, BoundaryRange, FoundBoundary } from '@weir/cluster';

type Reads = Pick<ReadPath, 'searchBatches'>;

/** Ranges that are read at the same time: each may have some megabytes. */
const readsMax = 8;

/** Finds where batches begin in stored ranges. */
export async function findBoundaries(
  readPath: Reads,
  { ranges }: BoundaryQuery,
  signal: AbortSignal,
): Promise<BoundaryAnswer> {
  const found = new Array<FoundBoundary | null>(ranges.length).fill(null);
  const left = [...ranges.entries()];
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      signal.throwIfAborted();
      const [index, range] = next;
      found[index] = await findBoundary(readPath, range);
    }
  };
  await Promise.all(Array.from({ length: readsMax }, work));
  return found;
}

async function findBoundary(readPath: Reads, range: BoundaryRange): Promise<FoundBoundary | null> {
  const { fileId, byteStart, byteLength, baseOffset, nextOffset } = range;
  const pointers = {
    fileId: [fileId],
    byteStart: Float64Array.of(byteStart),
    byteLength: Float64Array.of(byteLength),
    baseOffset: Float64Array.of(baseOffset),
    nextOffset: Float64Array.of(nextOffset),
  };
  const before = { offset: baseOffset, byteLength: 0, maxTimestampMs: -1 };
  const isPast = (endOffset: number, timestampMs: number) =>
    endOffset > range.offset || (range.timestampMs !== undefined && timestampMs >= range.timestampMs);
  try {
    await readPath.searchBatches(pointers, (cursor, batchOffset) => {
      const { header } = cursor;
      const endOffset = batchOffset + cursor.offsetSpan;
      // As in searches by time, a marker is no record, and an empty batch has the timestamp of removed ones.
      const hasRecords = header.recordCount > 0 && !header.isControl;
      const timestampMs = hasRecords ? Number(header.maxTimestamp) : Number.NEGATIVE_INFINITY;
      if (isPast(endOffset, timestampMs)) return true;
      before.offset = endOffset;
      before.byteLength += cursor.batchBytes;
      before.maxTimestampMs = Math.max(before.maxTimestampMs, timestampMs);
      return undefined;
    });
  } catch (error) {
    if (error instanceof DamagedRange && error.damage.kind === 'missing') return null;
    throw error;
  }
  return before;
}
