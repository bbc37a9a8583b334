import { encodeEnd, encodeHeader, type SectionToEncode, topicIdToBytes } from './encode-log-file.ts';
import { formatVersions } from './layout.ts';

/** Contiguous batches of one partition, with their offsets in their headers. */
interface CopiedBatches {
  readonly topicId: string;
  readonly partition: number;
  /** Where the range begins, which may be before its first batch, and where it ends. */
  readonly expectedOffset: number;
  readonly nextOffset: number;
  readonly slices: readonly Uint8Array[];
  readonly byteLength: number;
  readonly batchCount: number;
  readonly recordCount: number;
}

interface CopiedFileToBuild {
  readonly clusterId: string;
  /** Of level 1 or above. */
  readonly fileId: string;
  readonly parts: readonly CopiedBatches[];
}

interface BuiltCopiedFile {
  /** The whole file; the batches are views of the input. */
  readonly slices: Uint8Array[];
  readonly fileBytes: number;
  /** The parts in the order of the file, and where each begins. */
  readonly order: Uint32Array;
  readonly byteStart: Uint32Array;
}

/**
 * Builds a file of batches that were copied with their offsets, without copying them in memory. It has the format of
 * compacted files. Parts of one partition follow each other and become one section.
 */
export function buildCopiedFile({ clusterId, fileId, parts }: CopiedFileToBuild): BuiltCopiedFile {
  const ids = new Map(parts.map(({ topicId }) => [topicId, topicIdToBytes(topicId)]));
  const sortedIds = [...ids.values()].sort((one, other) => one.compare(other));
  const rankOf = new Map([...ids].map(([topicId, bytes]) => [topicId, sortedIds.indexOf(bytes)]));
  const order = Uint32Array.from(parts.keys()).sort((one, other) => {
    const [a, b] = [parts[one]!, parts[other]!];
    return rankOf.get(a.topicId)! - rankOf.get(b.topicId)! || a.partition - b.partition || one - other;
  });
  const header = encodeHeader(formatVersions.compacted, clusterId, fileId);
  const slices: Uint8Array[] = [header];
  const byteStart = new Uint32Array(parts.length);
  const sections: Section[] = [];
  let at = header.length;
  for (const [row, index] of order.entries()) {
    const part = parts[index]!;
    byteStart[row] = at;
    addTo(sections, part, rankOf.get(part.topicId)!, at);
    for (const slice of part.slices) slices.push(slice);
    at += part.byteLength;
  }
  const end = encodeEnd(formatVersions.compacted, sortedIds, sections, at);
  slices.push(end);
  return { slices, fileBytes: at + end.length, order, byteStart };
}

type Section = { -readonly [Name in keyof SectionToEncode]-?: SectionToEncode[Name] };

function addTo(sections: Section[], part: CopiedBatches, topic: number, byteStart: number): void {
  const { partition, byteLength, batchCount, recordCount, expectedOffset, nextOffset } = part;
  const last = sections.at(-1);
  if (last?.topic !== topic || last.partition !== partition) {
    const baseOffset = expectedOffset;
    sections.push({
      topic,
      partition,
      byteStart,
      byteLength,
      batchCount,
      recordCount,
      baseOffset,
      nextOffset,
    });
    return;
  }
  if (expectedOffset < last.nextOffset) throw new RangeError('log file: offsets of a section go back');
  last.byteLength += byteLength;
  last.batchCount += batchCount;
  last.recordCount += recordCount;
  last.nextOffset = nextOffset;
}
