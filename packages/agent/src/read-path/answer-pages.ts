import { coreLimits, MiB } from '@weir/core';
import { agentLimits } from '../limits.ts';
import { BatchList } from './batch-list.ts';

/**
 * A page of which an answer uses less than one part of so many is not held for it. Readers of one partition with the usual limit of
 * 1 MiB use a quarter of a page, and are given views.
 */
const sparseParts = 8;

/** What any answer is granted of the memory for answers, so that looking at pages before that would be of no use. */
const answerBytesMin = MiB;

/**
 * The pages that one answer is made of. The answer is counted by its own bytes, and would keep thousands of pages in memory for some
 * kilobytes of each while it waits for a slow reader; so it takes copies out of pages of which it uses little, and holds of the
 * others at most `sparseParts` times what is counted.
 */
export class AnswerPages {
  readonly #lists: BatchList[] = [];
  readonly #loaded = new Set<ArrayBufferLike>();
  #loadedBytes = 0;

  /** A part of the answer. */
  newList(): BatchList {
    const list = new BatchList();
    this.#lists.push(list);
    return list;
  }

  /**
   * Pages were brought for the answer. While it is being made it must not hold more of them than afterwards. Those that were in
   * memory anyway cost nothing until then.
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

  /** Lets go of pages of which the answer uses little. */
  release(): void {
    this.#loaded.clear();
    this.#loadedBytes = 0;
    copySparse(this.#lists);
  }
}

/** Slices that are copied anyway when the answer is encoded are left alone. */
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
        // In pieces no larger than what a socket is given at once, so that they go as the answer goes.
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
