import { coreLimits, MiB } from '@weir/core';
import { agentLimits } from '../limits.ts';
import { BatchList } from './batch-list.ts';

/**
 * An answer does not hold a page of which it uses less than one part in this many. Readers of one partition with the
 * usual limit of 1 MiB use a quarter of a page, and get views.
 */
const sparseParts = 8;

/** Every answer may hold this much, so checking pages below it would be useless. */
const answerBytesMin = MiB;

/**
 * The pages that one answer consists of. An answer is counted by its own bytes, but would retain thousands of pages for
 * a few kilobytes of each while it waits for a slow reader. So it copies from pages of which it uses little, and of the
 * others holds at most `sparseParts` times the counted bytes.
 */
export class AnswerPages {
  readonly #lists: BatchList[] = [];
  readonly #loaded = new Set<ArrayBufferLike>();
  #loadedBytes = 0;

  /** Creates a part of the answer. */
  newList(): BatchList {
    const list = new BatchList();
    this.#lists.push(list);
    return list;
  }

  /**
   * Called when pages were loaded for the answer. While it is built it must not hold more of them than afterwards.
   * Pages that were already in memory cost nothing until then.
   */
  loaded(views: readonly Buffer[]): void {
    for (const { buffer } of views) {
      if (this.#loaded.has(buffer)) continue;
      this.#loaded.add(buffer);
      this.#loadedBytes += buffer.byteLength;
    }
    const usedBytes = this.#lists.reduce((sum, { bytes }) => sum + bytes, 0);
    if (this.#loadedBytes > sparseParts * Math.max(usedBytes, answerBytesMin)) this.release();
  }

  /** Releases pages of which the answer uses little. */
  release(): void {
    this.#loaded.clear();
    this.#loadedBytes = 0;
    copySparse(this.#lists);
  }
}

/** Slices that the encoder copies anyway stay as they are. */
function copySparse(lists: readonly { readonly slices: Buffer[] }[]): void {
  const usedBytes = new Map<ArrayBufferLike, number>();
  for (const { slices } of lists) {
    for (const slice of slices) {
      if (slice.length < coreLimits.copiedSliceBytesMax) continue;
      usedBytes.set(slice.buffer, (usedBytes.get(slice.buffer) ?? 0) + slice.length);
    }
  }
  let leftBytes = 0;
  for (const [buffer, bytes] of usedBytes) {
    if (bytes * sparseParts < buffer.byteLength) leftBytes += bytes;
    else usedBytes.delete(buffer);
  }
  if (leftBytes === 0) return;
  let room = Buffer.alloc(0);
  for (const { slices } of lists) {
    for (const [index, slice] of slices.entries()) {
      if (slice.length < coreLimits.copiedSliceBytesMax || !usedBytes.has(slice.buffer)) continue;
      if (room.length < slice.length) {
        // In pieces no larger than one socket write, so that they are freed as the answer is sent.
        const bytes = Math.max(slice.length, Math.min(leftBytes, agentLimits.socketWriteBytesMax));
        room = Buffer.allocUnsafeSlow(bytes);
      }
      slice.copy(room);
      slices[index] = room.subarray(0, slice.length);
      room = room.subarray(slice.length);
      leftBytes -= slice.length;
    }
  }
}
