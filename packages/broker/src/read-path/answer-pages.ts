import { coreLimits, MiB } from '@weir/core';
import { brokerLimits } from '../limits.ts';
import type { MemoryPool, PooledMemory } from '../slabs/memory-pool.ts';
import { BatchList } from './batch-list.ts';
import type { Page } from './page.ts';

/**
 * An answer does not hold a page of which it uses less than one part in this many. Readers of one partition with the
 * usual limit of 1 MiB use a quarter of a page, and get views.
 */
const sparseParts = 8;

/** Every answer may hold this much, so checking pages below it would be useless. */
const answerBytesMin = MiB;

/**
 * The pages that one answer consists of, and their user. An answer is counted by its own bytes, but would retain
 * thousands of pages for a few kilobytes of each while it waits for a slow reader. So it copies from pages of which it
 * uses little, and of the others holds at most `sparseParts` times the counted bytes.
 */
export class AnswerPages {
  readonly #lists: BatchList[] = [];
  readonly #copies: Copies;
  readonly #loaded = new Set<ArrayBufferLike>();
  #loadedBytes = 0;
  /** Pages whose memory may be used again, by the slabs that they are in. */
  readonly #pooled = new Map<ArrayBufferLike, Set<Page>>();

  /** `copyPool` is the memory of copies. If absent, each answer has its own. */
  constructor(copyPool?: MemoryPool) {
    this.#copies = new Copies(copyPool);
  }

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

  /** Takes over one use of each page, whose batches may be in the lists now. */
  use(pages: readonly Page[]): void {
    for (const page of pages) {
      const { slab } = page;
      const pages = slab && (this.#pooled.get(slab) ?? new Set());
      if (slab === undefined || pages!.has(page)) page.release();
      else this.#pooled.set(slab, pages!.add(page));
    }
  }

  /** Releases pages of which the answer uses little. */
  release(): void {
    this.#loaded.clear();
    this.#loadedBytes = 0;
    const used = copySparse(this.#lists, this.#pooled, this.#copies);
    for (const [slab, pages] of this.#pooled) {
      if (used.has(slab)) continue;
      this.#pooled.delete(slab);
      for (const page of pages) page.release();
    }
  }

  /** Ends the use of all pages. The lists must not be used any more. */
  free(): void {
    for (const pages of this.#pooled.values()) for (const page of pages) page.release();
    this.#pooled.clear();
    this.#copies.free();
  }

  /** Lets the lists live as long as anything refers to them. */
  keep(): void {
    for (const pages of this.#pooled.values()) for (const page of pages) page.keep();
    this.#copies.keep();
    this.free();
  }
}

/** The memory that an answer copies into. */
class Copies {
  readonly #pool: MemoryPool | undefined;
  #taken: PooledMemory[] = [];
  readonly #slabs = new Set<ArrayBufferLike>();
  #room: Buffer = Buffer.alloc(0);

  constructor(pool: MemoryPool | undefined) {
    this.#pool = pool;
  }

  /** Whether the memory is that of copies, of which an answer uses all that it has. */
  has(memory: ArrayBufferLike): boolean {
    return this.#slabs.has(memory);
  }

  /** Copies a slice. `leftBytes` is what will be copied together with it. */
  add(slice: Buffer, leftBytes: number): Buffer {
    const { length } = slice;
    // In pieces no larger than one socket write, so that memory that is not pooled is freed as the answer is sent.
    if (this.#room.length < length)
      this.#room = this.#allocate(Math.max(length, Math.min(leftBytes, brokerLimits.socketWriteBytesMax)));
    slice.copy(this.#room);
    const copy = this.#room.subarray(0, length);
    this.#room = this.#room.subarray(length);
    return copy;
  }

  #allocate(bytes: number): Buffer {
    const memory = this.#pool?.take(bytes);
    if (memory === undefined) return Buffer.allocUnsafeSlow(bytes);
    this.#taken.push(memory);
    this.#slabs.add(memory.bytes.buffer);
    return memory.bytes;
  }

  free(): void {
    for (const memory of this.#taken) memory.release();
    this.keep();
  }

  /** Leaves the memory to the garbage collector. */
  keep(): void {
    this.#taken = [];
    this.#slabs.clear();
    this.#room = Buffer.alloc(0);
  }
}

function heldBytes({ byteLength }: ArrayBufferLike, pages: ReadonlySet<Page> | undefined): number {
  if (pages === undefined) return byteLength;
  let bytes = 0;
  for (const page of pages) bytes += page.byteLength;
  return bytes;
}

/**
 * Replaces slices of memory of which the lists use little by copies, and returns the memory that they still use. Small
 * slices, which the encoder copies anyway, count only if their memory is used again. Of a slab only the pages of the
 * answer count: the pool limits what slabs can take.
 */
function copySparse(
  lists: readonly { readonly slices: Buffer[] }[],
  pooled: ReadonlyMap<ArrayBufferLike, ReadonlySet<Page>>,
  copies: Copies,
): ReadonlySet<ArrayBufferLike> {
  const usedBytes = new Map<ArrayBufferLike, number>();
  // Slices of one piece of memory usually follow each other, with small heads between them.
  let memory: ArrayBufferLike | undefined;
  let isPooled = false;
  let bytes = 0;
  for (const { slices } of lists) {
    for (const { buffer, length } of slices) {
      if (buffer === memory && (isPooled || length >= coreLimits.copiedSliceBytesMax)) {
        bytes += length;
        continue;
      }
      if (copies.has(buffer) || (length < coreLimits.copiedSliceBytesMax && !pooled.has(buffer))) continue;
      if (memory !== undefined) usedBytes.set(memory, bytes);
      memory = buffer;
      isPooled = pooled.has(buffer);
      bytes = (usedBytes.get(buffer) ?? 0) + length;
    }
  }
  if (memory !== undefined) usedBytes.set(memory, bytes);
  const sparse = new Set<ArrayBufferLike>();
  let leftBytes = 0;
  for (const [buffer, bytes] of usedBytes) {
    if (bytes * sparseParts >= heldBytes(buffer, pooled.get(buffer))) continue;
    sparse.add(buffer);
    usedBytes.delete(buffer);
    leftBytes += bytes;
  }
  const used = new Set(usedBytes.keys());
  if (leftBytes === 0) return used;
  for (const { slices } of lists) {
    for (const [index, slice] of slices.entries()) {
      const { buffer, length } = slice;
      if (!sparse.has(buffer) || (length < coreLimits.copiedSliceBytesMax && !pooled.has(buffer))) continue;
      slices[index] = copies.add(slice, leftBytes);
      leftBytes -= length;
    }
  }
  return used;
}
