/**
 * The pointers of all partitions, 28 bytes each, in a few large typed arrays.
 *
 * A partition owns chunks of sixteen pointers. Arrays of its own would cost a partition with one pointer more than half a
 * kilobyte in objects, would be copied whenever they grow, and would be half empty on average. Chunks of one size are
 * never moved, and what a deleted topic leaves behind is used by the next partition that needs one.
 */
export const chunkShift = 4;
export const chunkPointers = 1 << chunkShift;
export const chunkMask = chunkPointers - 1;

const slabShift = 12;
const slabPointers = 1 << slabShift;
const slabMask = slabPointers - 1;
const slabChunks = slabPointers / chunkPointers;

/** Columns. A pointer's end is where the next one of its partition begins, so that it needs no column. */
class Slab {
  readonly fileSlot = new Uint32Array(slabPointers);
  readonly byteStart = new Uint32Array(slabPointers);
  readonly byteLength = new Uint32Array(slabPointers);
  readonly baseOffset = new Float64Array(slabPointers);
  readonly maxTimestampMs = new Float64Array(slabPointers);
}

const pointerBytes = 4 + 4 + 4 + 8 + 8;

export class PointerPool {
  readonly #slabs: Slab[] = [];
  readonly #freeChunks: number[] = [];
  #keptChunks: number[] | undefined;
  #chunkCount = 0;

  /** What the chunks that have an owner take. */
  get usedBytes(): number {
    return (
      (this.#chunkCount - this.#freeChunks.length - (this.#keptChunks?.length ?? 0)) *
      chunkPointers *
      pointerBytes
    );
  }

  /** The number of a chunk that nobody else has. Position `p` in it is slot `chunk × chunkPointers + p`. */
  allocateChunk(): number {
    const free = this.#freeChunks.pop();
    if (free !== undefined) return free;
    if (this.#chunkCount % slabChunks === 0) this.#slabs.push(new Slab());
    return this.#chunkCount++;
  }

  freeChunk(chunk: number): void {
    (this.#keptChunks ?? this.#freeChunks).push(chunk);
  }

  /** Chunks that are given back from now on keep what they hold, for somebody who still reads it. */
  keepFreed(): void {
    this.#keptChunks ??= [];
  }

  /** Nobody reads them any more. */
  releaseFreed(): void {
    for (const chunk of this.#keptChunks ?? []) this.#freeChunks.push(chunk);
    this.#keptChunks = undefined;
  }

  write(
    slot: number,
    fileSlot: number,
    byteStart: number,
    byteLength: number,
    baseOffset: number,
    maxTimestampMs: number,
  ): void {
    const slab = this.#slabs[slot >>> slabShift]!;
    const position = slot & slabMask;
    slab.fileSlot[position] = fileSlot;
    slab.byteStart[position] = byteStart;
    slab.byteLength[position] = byteLength;
    slab.baseOffset[position] = baseOffset;
    slab.maxTimestampMs[position] = maxTimestampMs;
  }

  /** Lets a pointer reach further, over a batch that lies behind it in the file: within the command that made it, and not later. */
  extend(slot: number, byteLength: number, maxTimestampMs: number): void {
    const slab = this.#slabs[slot >>> slabShift]!;
    const position = slot & slabMask;
    slab.byteLength[position]! += byteLength;
    if (maxTimestampMs > slab.maxTimestampMs[position]!) slab.maxTimestampMs[position] = maxTimestampMs;
  }

  fileSlot(slot: number): number {
    return this.#slabs[slot >>> slabShift]!.fileSlot[slot & slabMask]!;
  }

  byteStart(slot: number): number {
    return this.#slabs[slot >>> slabShift]!.byteStart[slot & slabMask]!;
  }

  byteLength(slot: number): number {
    return this.#slabs[slot >>> slabShift]!.byteLength[slot & slabMask]!;
  }

  baseOffset(slot: number): number {
    return this.#slabs[slot >>> slabShift]!.baseOffset[slot & slabMask]!;
  }

  maxTimestampMs(slot: number): number {
    return this.#slabs[slot >>> slabShift]!.maxTimestampMs[slot & slabMask]!;
  }
}
