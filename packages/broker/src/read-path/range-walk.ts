import type { Pointers } from '@weir/cluster';
import { fileIdLevel } from '@weir/core';
import { headerBytes } from '@weir/wire';
import type { BatchCursor } from './batch-cursor.ts';
import { DamagedRange, type DamageKind } from './damaged-range.ts';
import { isMarker, markerBatch } from './marker-batches.ts';

/**
 * Position of a reader in one stored range.
 *
 * Batches of level 0 follow each other without a gap from the base offset of the range on. Batches of compacted files
 * have their own base offset, because compaction may have removed others before them; the last one ends with the range.
 */
export class RangeWalk {
  readonly row: number;
  readonly fileId: string;
  readonly end: number;
  /** Builds the batch of a row that is not stored in a file. */
  readonly marker: (() => Buffer[]) | undefined;
  /** The offset after the range. */
  readonly nextOffset: number;
  readonly #hasStoredOffsets: boolean;
  at: number;
  /** No later batch of the range begins before it. */
  offset: number;
  /** How many bytes the next read needs at least. */
  wantedBytes = 0;
  /** Where bytes were found damaged, which are read once more from the bucket; -1 for nowhere. */
  damagedAt = -1;

  constructor(pointers: Pointers, row: number) {
    this.row = row;
    this.fileId = pointers.fileId[row]!;
    this.at = pointers.byteStart[row]!;
    this.end = this.at + pointers.byteLength[row]!;
    this.offset = pointers.baseOffset[row]!;
    this.nextOffset = pointers.nextOffset[row]!;
    this.marker = isMarker(pointers, row) ? () => [markerBatch(pointers, row)] : undefined;
    this.#hasStoredOffsets = this.marker === undefined && fileIdLevel(this.fileId) > 0;
  }

  /** The base offset of the cursor's batch. */
  baseOffsetOf(cursor: BatchCursor): number {
    return this.#hasStoredOffsets ? cursor.storedBaseOffset : this.offset;
  }

  /** Checks whether the cursor's batch can be the next one of the range. */
  checkPosition(cursor: BatchCursor): void {
    if (this.at + cursor.batchBytes > this.end) {
      throw this.damaged('corrupt', 'batch exceeds the end of its range');
    }
    const baseOffset = this.baseOffsetOf(cursor);
    if (baseOffset < this.offset) {
      throw this.damaged('corrupt', `batch has base offset ${baseOffset}, expected ${this.offset} or later`);
    }
    const nextOffset = baseOffset + cursor.offsetSpan;
    if (nextOffset <= baseOffset || nextOffset > this.nextOffset) {
      throw this.damaged('corrupt', `batch spans ${cursor.offsetSpan} offsets from ${baseOffset}`);
    }
  }

  /** Moves past the cursor's batch. */
  pass(cursor: BatchCursor): void {
    this.offset = this.baseOffsetOf(cursor) + cursor.offsetSpan;
    this.at += cursor.batchBytes;
  }

  /** Notes how many bytes the next read of the range needs, if this one ended inside a batch or its header. */
  continueFrom(cursor: BatchCursor): void {
    this.wantedBytes = 0;
    if (this.at >= this.end) return;
    const wantedBytes = Math.max(cursor.isWhole ? 0 : cursor.batchBytes, headerBytes);
    if (this.at + wantedBytes > this.end) throw this.damaged('corrupt', 'range ends inside a batch');
    this.wantedBytes = wantedBytes;
  }

  finish(): void {
    if (this.offset !== this.nextOffset) {
      const problem = `batches end at offset ${this.offset}, expected ${this.nextOffset}`;
      throw this.damaged('corrupt', problem);
    }
  }

  /** Creates the error of a range that is readable up to the current position. */
  damaged(kind: DamageKind, problem: string, options?: ErrorOptions): DamagedRange {
    const { fileId, offset: firstOffset, at: byteStart } = this;
    const nextOffset = Math.max(this.nextOffset, firstOffset + 1);
    return new DamagedRange({ kind, fileId, firstOffset, nextOffset, byteStart }, problem, options);
  }
}

/** Iterates over the ranges of pointers in order. */
export function* rangesOf(pointers: Pointers): Generator<RangeWalk, void, undefined> {
  for (let row = 0; row < pointers.fileId.length; row++) yield new RangeWalk(pointers, row);
}
