import { LogFileError, ObjectNotFound, type ObjectStore, readLogFile } from '@weir/storage';
import { type BatchRecord, batchRecords, DecodeError, headerBytes, RecordBatchView } from '@weir/wire';

/** Where the metadata says that a record is. */
export interface RecordPlace {
  readonly key: string;
  readonly fileId: string;
  readonly level: number;
  readonly firstOffset: number;
  readonly endOffset: number;
  readonly firstByte: number;
  readonly byteCount: number;
}

interface ReadFile {
  readonly bytes: number;
  /** What is wrong with header or footer. */
  readonly problem: string | undefined;
}

export interface FoundBatch {
  readonly view: RecordBatchView;
  /** Its offsets in the log, whatever its header says. */
  readonly firstOffset: number;
  readonly endOffset: number;
  /** In the file. */
  readonly firstByte: number;
  readonly hasValidChecksum: boolean;
}

/** What became of a record in its file. */
type ReadOutcome =
  | { readonly kind: 'record'; readonly record: BatchRecord }
  | { readonly kind: 'control' }
  | { readonly kind: 'compacted' | 'damaged' | 'missing'; readonly reason: string };

export interface ReadRecord {
  readonly file: ReadFile | undefined;
  readonly batch: FoundBatch | undefined;
  readonly outcome: ReadOutcome;
}

const lengthOverheadBytes = 12;

/** Reads one record from the bucket and checks everything that an agent would check on its way there. */
export async function readRecord(
  store: ObjectStore,
  place: RecordPlace,
  offset: number,
): Promise<ReadRecord> {
  try {
    const file = await readFile(store, place);
    const range = await store.getRange(place.key, place.firstByte, place.firstByte + place.byteCount);
    return { file, ...inRange(range, place, offset) };
  } catch (error) {
    if (!(error instanceof ObjectNotFound)) throw error;
    const outcome = { kind: 'missing', reason: 'the object is not in the bucket' } as const;
    return { file: undefined, batch: undefined, outcome };
  }
}

async function readFile(store: ObjectStore, { key, fileId }: RecordPlace): Promise<ReadFile> {
  const info = await store.head(key);
  if (info === undefined) throw new ObjectNotFound(key);
  try {
    const file = await readLogFile(store, key);
    const problem = file.fileId === fileId ? undefined : `it is the file ${file.fileId}`;
    return { bytes: info.bytes, problem };
  } catch (error) {
    if (!(error instanceof LogFileError)) throw error;
    return { bytes: info.bytes, problem: error.message.replace(/^log file: /, '') };
  }
}

function inRange(range: Buffer, place: RecordPlace, offset: number): Omit<ReadRecord, 'file'> {
  let batch: FoundBatch | undefined;
  const ended = (kind: 'compacted' | 'damaged', reason: string) => ({ batch, outcome: { kind, reason } });
  let at = 0;
  let nextOffset = place.firstOffset;
  while (at < place.byteCount) {
    const byte = place.firstByte + at;
    batch = undefined;
    if (range.length - at < headerBytes) return ended('damaged', cutOff(range, place, byte));
    const header = new RecordBatchView(range.subarray(at, at + headerBytes));
    const batchBytes = header.batchLength + lengthOverheadBytes;
    if (header.magic !== 2 || batchBytes < headerBytes)
      return ended('damaged', `no batch begins at byte ${byte}`);
    if (at + batchBytes > range.length) return ended('damaged', cutOff(range, place, byte));
    const view = new RecordBatchView(range.subarray(at, at + batchBytes));
    // A file of level 0 was written before its offsets were known.
    const firstOffset = place.level === 0 ? nextOffset : Number(view.baseOffset);
    const endOffset = firstOffset + view.lastOffsetDelta + 1;
    batch = { view, firstOffset, endOffset, firstByte: byte, hasValidChecksum: view.hasValidCrc() };
    if (firstOffset < nextOffset || endOffset <= firstOffset || endOffset > place.endOffset)
      return ended(
        'damaged',
        `the batch at byte ${byte} has offsets ${firstOffset} to ${endOffset - 1}, and ${nextOffset} to ${place.endOffset - 1} are left of the range`,
      );
    // Offsets of later batches depend on it, so agents do not read past it either.
    if (!batch.hasValidChecksum)
      return ended('damaged', `the batch at byte ${byte} does not match its checksum`);
    if (offset < firstOffset) {
      batch = undefined;
      return ended('compacted', `no batch has offsets ${nextOffset} to ${firstOffset - 1} any more`);
    }
    if (offset < endOffset) return { batch, outcome: inBatch(batch, offset) };
    nextOffset = endOffset;
    at += batchBytes;
  }
  batch = undefined;
  return ended('damaged', `the batches end before offset ${nextOffset}, and the range at ${place.endOffset}`);
}

function cutOff(range: Buffer, { firstByte, byteCount }: RecordPlace, byte: number): string {
  return range.length < byteCount
    ? `the file ends at byte ${firstByte + range.length}, within the range`
    : `the batch at byte ${byte} goes beyond the end of the range`;
}

function inBatch({ view, firstOffset }: FoundBatch, offset: number): ReadOutcome {
  if (view.isControl) return { kind: 'control' };
  try {
    const delta = BigInt(offset - firstOffset);
    for (const record of batchRecords(view)) {
      if (record.offset - view.baseOffset === delta) return { kind: 'record', record };
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { kind: 'damaged', reason: `the records of the batch cannot be read: ${error.message}` };
  }
  return { kind: 'compacted', reason: 'its batch no longer has the record' };
}
