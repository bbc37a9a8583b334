/**
 * The pointers of all partitions, 28 bytes each, in a few large typed arrays. A partition owns chunks of sixteen
 * pointers. Separate arrays would cost a partition with one pointer more than half a kilobyte in objects, would be
 * copied whenever they grow, and would be half empty on average. Chunks have one size and are never moved, those of a
 * deleted topic are reused, and clones share those that are full.
 */
export const chunkShift = 4;
export const chunkPointers = 1 << chunkShift;
export const chunkMask = chunkPointers - 1;

const slabShift = 12;
const slabPointers = 1 << slabShift;
const slabMask = slabPointers - 1;
const chunkSlabShift = slabShift - chunkShift;
const slabChunks = 1 << chunkSlabShift;
const chunkSlabMask = slabChunks - 1;

/** Columns. A pointer ends where the next one of its partition starts, so its end needs no column. */
class Slab {
  readonly fileSlot = new Uint32Array(slabPointers);
  readonly byteStart = new Uint32Array(slabPointers);
  readonly byteLength = new Uint32Array(slabPointers);
  readonly baseOffset = new Float64Array(slabPointers);
  readonly maxTimestampMs = new Float64Array(slabPointers);
  /** Per chunk: how many logs use it beside one. */
  readonly otherUsers = new Uint32Array(slabChunks);
}

/** Gets columns of pointers, and the rows that it is about. */
export type PointerVisit = (
  fileSlots: Uint32Array,
  byteLengths: Uint32Array,
  start: number,
  end: number,
) => void;

const pointerBytes = 4 + 4 + 4 + 8 + 8;

export class PointerPool {
  readonly #slabs: Slab[] = [];
  readonly #freeChunks: number[] = [];
  #retainedChunks: number[] | undefined;
  #chunkCount = 0;

  /** Bytes of the allocated chunks. */
  get usedBytes(): number {
    return (
      (this.#chunkCount - this.#freeChunks.length - (this.#retainedChunks?.length ?? 0)) *
      chunkPointers *
      pointerBytes
    );
  }

  /** Allocates a chunk and returns its number. Position `p` in it is slot `chunk × chunkPointers + p`. */
  allocateChunk(): number {
    const free = this.#freeChunks.pop();
    if (free !== undefined) return free;
    if (this.#chunkCount % slabChunks === 0) this.#slabs.push(new Slab());
    return this.#chunkCount++;
  }

  /** Lets another log use a chunk too, whose pointers never change again. Every user frees it. */
  shareChunk(chunk: number): void {
    this.#slabs[chunk >>> chunkSlabShift]!.otherUsers[chunk & chunkSlabMask]!++;
  }

  freeChunk(chunk: number): void {
    const { otherUsers } = this.#slabs[chunk >>> chunkSlabShift]!;
    if (otherUsers[chunk & chunkSlabMask]! > 0) {
      otherUsers[chunk & chunkSlabMask]!--;
      return;
    }
    (this.#retainedChunks ?? this.#freeChunks).push(chunk);
  }

  /** From now on, freed chunks retain their content for a capture that still reads it. */
  keepFreed(): void {
    this.#retainedChunks ??= [];
  }

  /** Frees the retained chunks: the capture has ended. */
  releaseFreed(): void {
    for (const chunk of this.#retainedChunks ?? []) this.#freeChunks.push(chunk);
    this.#retainedChunks = undefined;
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

  copy(from: number, to: number): void {
    this.write(
      to,
      this.fileSlot(from),
      this.byteStart(from),
      this.byteLength(from),
      this.baseOffset(from),
      this.maxTimestampMs(from),
    );
  }

  /** Passes the columns of some positions of a chunk to `visit`, for work on many pointers. */
  visitChunk(chunk: number, first: number, end: number, visit: PointerVisit): void {
    const { fileSlot, byteLength } = this.#slabs[chunk >>> chunkSlabShift]!;
    const start = (chunk << chunkShift) & slabMask;
    visit(fileSlot, byteLength, start + first, start + end);
  }

  /** Extends a pointer over the batch that follows it in the file; only within the command that created it (L11). */
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
