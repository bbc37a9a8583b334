import { BatchCursor, leaderEpoch, markerBatch, NoRecordBatch, RangeWalk } from '@weir/broker';
import type { Pointers } from '@weir/cluster';
import { fileIdLevel } from '@weir/core';
import { attributeBits, batchCrcOf, headerAt, headerBytes, rewritePosition } from '@weir/wire';
import type { RangeToWrite } from './merged-files.ts';

/** The timestamp of batches without records of clients: no search by time finds them. */
const noTimestampMs = -1;

/** The batches of one stored range or marker, each found intact, as columns. Reused from range to range. */
export class CheckedRange implements RangeToWrite {
  bytes: Buffer = Buffer.alloc(0);
  baseOffset = 0;
  nextOffset = 0;
  batchCount = 0;
  /** Where batches begin in `bytes`, their base offsets, and the offsets after them. */
  starts = new Float64Array(16);
  baseOffsets = new Float64Array(16);
  nextOffsets = new Float64Array(16);
  recordCounts = new Float64Array(16);
  /** -1 for batches that searches by time pass: those without records, and markers. */
  maxTimestampsMs = new Float64Array(16);

  /** Takes the bytes of a row of pointers; throws `DamagedRange` if they are not the committed batches. */
  check(pointers: Pointers, row: number, bytes: Buffer | undefined): void {
    const walk = new RangeWalk(pointers, row);
    if (bytes === undefined) throw walk.damaged('missing', 'object not found');
    this.#begin(pointers, row, bytes);
    if (bytes.length === walk.end - walk.at && this.#isIntact(walk.fileId)) return;
    this.batchCount = 0;
    this.#findDamage(walk, bytes);
  }

  /** Takes batches while they are intact. Creates no object but the view for the CRC, as batches may be small. */
  #isIntact(fileId: string): boolean {
    const { bytes } = this;
    const hasStoredOffsets = fileIdLevel(fileId) > 0;
    let offset = this.baseOffset;
    for (let at = 0; at < bytes.length; ) {
      if (bytes.length - at < headerBytes || bytes[at + headerAt.magic] !== 2) return false;
      const lengthEnd = at + headerAt.batchLength + 4;
      const end = lengthEnd + bytes.readInt32BE(at + headerAt.batchLength);
      if (end - at < headerBytes || end > bytes.length) return false;
      if (batchCrcOf([bytes.subarray(at, end)]) !== bytes.readUInt32BE(at + headerAt.crc)) return false;
      const baseOffset = hasStoredOffsets ? readInt64(bytes, at + headerAt.baseOffset) : offset;
      const nextOffset = baseOffset + bytes.readInt32BE(at + headerAt.lastOffsetDelta) + 1;
      if (baseOffset < offset || nextOffset <= baseOffset) return false;
      const recordCount = bytes.readInt32BE(at + headerAt.recordCount);
      const isControl = (bytes.readInt16BE(at + headerAt.attributes) & attributeBits.control) !== 0;
      const hasTimestamp = recordCount > 0 && !isControl;
      const timestampMs = hasTimestamp ? readInt64(bytes, at + headerAt.maxTimestamp) : noTimestampMs;
      this.#add(at, baseOffset, nextOffset, recordCount, timestampMs);
      offset = nextOffset;
      at = end;
    }
    return offset === this.nextOffset;
  }

  /** Throws for bytes that are not intact, with what a reader would find. */
  #findDamage(walk: RangeWalk, bytes: Buffer): void {
    const cursor = new BatchCursor([bytes]);
    try {
      while (walk.at < walk.end) {
        if (!cursor.next() || !cursor.isWhole) throw walk.damaged('short', 'truncated file');
        if (!cursor.hasValidCrc()) throw walk.damaged('corrupt', 'CRC mismatch in a batch');
        walk.checkPosition(cursor);
        walk.pass(cursor);
      }
    } catch (error) {
      if (error instanceof NoRecordBatch) throw walk.damaged('corrupt', error.message, { cause: error });
      throw error;
    }
    walk.finish();
    throw walk.damaged('corrupt', 'batches do not match the range');
  }

  /** Takes a row that is the end of a transaction, as a batch. */
  takeMarker(pointers: Pointers, row: number): void {
    const bytes = markerBatch(pointers, row);
    this.#begin(pointers, row, bytes);
    this.#add(0, this.baseOffset, this.nextOffset, 1, noTimestampMs);
  }

  get byteLength(): number {
    return this.bytes.length;
  }

  /** Where a batch ends in `bytes`. */
  endOf(batch: number): number {
    return batch + 1 < this.batchCount ? this.starts[batch + 1]! : this.bytes.length;
  }

  /** Copies the batches to `target`, with their offsets in their headers. */
  copyTo(target: Buffer): void {
    this.bytes.copy(target);
    for (let batch = 0; batch < this.batchCount; batch++) {
      const copy = target.subarray(this.starts[batch]!);
      rewritePosition(copy, BigInt(this.baseOffsets[batch]!), leaderEpoch);
    }
  }

  #begin(pointers: Pointers, row: number, bytes: Buffer): void {
    this.bytes = bytes;
    this.baseOffset = pointers.baseOffset[row]!;
    this.nextOffset = pointers.nextOffset[row]!;
    this.batchCount = 0;
  }

  #add(
    start: number,
    baseOffset: number,
    nextOffset: number,
    recordCount: number,
    timestampMs: number,
  ): void {
    const batch = this.batchCount++;
    if (batch === this.starts.length) this.#grow();
    this.starts[batch] = start;
    this.baseOffsets[batch] = baseOffset;
    this.nextOffsets[batch] = nextOffset;
    this.recordCounts[batch] = recordCount;
    this.maxTimestampsMs[batch] = timestampMs;
  }

  #grow(): void {
    this.starts = doubled(this.starts);
    this.baseOffsets = doubled(this.baseOffsets);
    this.nextOffsets = doubled(this.nextOffsets);
    this.recordCounts = doubled(this.recordCounts);
    this.maxTimestampsMs = doubled(this.maxTimestampsMs);
  }
}

function doubled(column: Float64Array): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(column.length * 2);
  longer.set(column);
  return longer;
}

/** Without a bigint: offsets are below 2^53, and so is every time that means something. */
function readInt64(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}
