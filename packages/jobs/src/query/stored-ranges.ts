import type { ClusterView } from '@weir/broker';

/** A range of a file that holds contiguous batches of one partition. */
export interface StoredRange {
  readonly fileId: string;
  readonly byteStart: number;
  readonly byteEnd: number;
  readonly baseOffset: number;
  readonly nextOffset: number;
}

type RangesView = Pick<ClusterView, 'ends' | 'recentPointers' | 'port'>;

/** Event topics have one partition. */
export const eventPartition = 0;

/** Bytes per request for pointers: some hundreds of ranges, as small as those of events are. */
const pointersBytesMax = 8 * 1024 * 1024;

/**
 * Iterates over the stored ranges of a topic from one offset to another, in order. Ranges that retention removes
 * meanwhile are left out, and a deleted topic ends the iteration.
 */
export async function* storedRanges(
  view: RangesView,
  topicId: string,
  fromOffset: number,
  toOffset: number,
): AsyncGenerator<StoredRange, void, undefined> {
  let offset = fromOffset;
  while (offset < toOffset) {
    const startOffset = view.ends(topicId, eventPartition)?.logStartOffset;
    if (startOffset === undefined) return;
    offset = Math.max(offset, startOffset);
    let pointers = view.recentPointers(topicId, eventPartition, offset, pointersBytesMax);
    if (pointers === undefined) {
      const query = { topicId, partition: eventPartition, offset, bytesMax: pointersBytesMax };
      const answer = (await view.port.findBatches([query]))[0]!;
      if (answer.error === 'OFFSET_OUT_OF_RANGE' && answer.logStartOffset > offset) {
        // The leader has removed more than this agent knows of yet.
        offset = answer.logStartOffset;
        continue;
      }
      if (answer.error !== 'NONE') return;
      pointers = answer.pointers;
    }
    const rows = pointers.fileId.length;
    if (rows === 0) return;
    for (let row = 0; row < rows; row++) {
      const baseOffset = pointers.baseOffset[row]!;
      const nextOffset = pointers.nextOffset[row]!;
      if (baseOffset >= toOffset) return;
      const fileId = pointers.fileId[row]!;
      const byteStart = pointers.byteStart[row]!;
      // Transaction markers are not stored in files.
      if (nextOffset > offset && fileId !== '')
        yield { fileId, byteStart, byteEnd: byteStart + pointers.byteLength[row]!, baseOffset, nextOffset };
      offset = Math.max(offset, nextOffset);
    }
  }
}
