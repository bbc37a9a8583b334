import type { MemoryPool, PooledMemory } from './memory-pool.ts';

interface ExtentPoolOptions {
  readonly slabBytes: number;
  /** Limit for all slabs together. */
  readonly bytesMax: number;
  /** Allocates the memory of a slab. */
  readonly allocate: (bytes: number) => Buffer;
  /** For tests: overwrites what is free, so that a further use shows. */
  readonly poisons?: boolean | undefined;
}

/** Extents begin and end at multiples of this, so that few slabs end up with gaps that nothing fits into. */
const granuleBytes = 4096;

const poison = 0xdb;

/**
 * Memory whose pieces are used again one by one, in whatever order they are released. It suits few large pieces that
 * live long, such as pages of a cache: those that are used often would each hold back a whole slab of a `SlabPool`.
 *
 * A slab with a piece that was collected without a release is given up, because views of the piece may still be in use:
 * nothing more is taken from it, and its memory is left to the garbage collector.
 */
export class ExtentPool implements MemoryPool {
  readonly #options: ExtentPoolOptions;
  #slabs: ExtentSlab[] = [];
  #slabCount = 0;
  readonly #forgotten = new FinalizationRegistry<ExtentSlab>((slab) => {
    this.#slabs = this.#slabs.filter((other) => other !== slab);
  });
  readonly #collected = new FinalizationRegistry<undefined>(() => {
    this.#slabCount--;
  });

  constructor(options: ExtentPoolOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#slabCount * this.#options.slabBytes;
  }

  get freeBytes(): number {
    return this.#slabs.reduce((sum, { freeBytes }) => sum + freeBytes, 0);
  }

  take(bytes: number): PooledMemory | undefined {
    if (bytes === 0 || bytes > this.#options.slabBytes) return undefined;
    const extentBytes = Math.ceil(bytes / granuleBytes) * granuleBytes;
    for (const slab of this.#slabs) {
      const start = slab.take(extentBytes);
      if (start !== undefined) return this.#piece(slab, start, bytes, extentBytes);
    }
    const slab = this.#newSlab();
    if (slab === undefined) return undefined;
    return this.#piece(slab, slab.take(extentBytes)!, bytes, extentBytes);
  }

  #newSlab(): ExtentSlab | undefined {
    const { slabBytes, bytesMax, allocate } = this.#options;
    if (this.bytes + slabBytes > bytesMax) return undefined;
    const slab = new ExtentSlab(allocate(slabBytes));
    this.#slabs.push(slab);
    this.#slabCount++;
    this.#collected.register(slab.memory.buffer, undefined);
    return slab;
  }

  #piece(slab: ExtentSlab, start: number, bytes: number, extentBytes: number): PooledMemory {
    const piece = new Extent(slab.memory.subarray(start, start + bytes), () => {
      this.#forgotten.unregister(piece);
      if (this.#options.poisons === true) slab.memory.fill(poison, start, start + extentBytes);
      slab.release(start, extentBytes);
    });
    this.#forgotten.register(piece, slab, piece);
    return piece;
  }
}

class Extent implements PooledMemory {
  readonly bytes: Buffer;
  #onRelease: (() => void) | undefined;

  constructor(bytes: Buffer, onRelease: () => void) {
    this.bytes = bytes;
    this.#onRelease = onRelease;
  }

  release(): void {
    const onRelease = this.#onRelease;
    this.#onRelease = undefined;
    onRelease?.();
  }
}

/** One piece of memory, and what of it is free: extents in order, with something in use between any two. */
class ExtentSlab {
  readonly memory: Buffer;
  readonly #starts: number[];
  readonly #ends: number[];
  freeBytes: number;

  constructor(memory: Buffer) {
    this.memory = memory;
    this.#starts = [0];
    this.#ends = [memory.length];
    this.freeBytes = memory.length;
  }

  /** Takes from the first extent that is large enough, so that the end of the slab stays in one piece. */
  take(bytes: number): number | undefined {
    if (bytes > this.freeBytes) return undefined;
    const index = this.#starts.findIndex((start, at) => this.#ends[at]! - start >= bytes);
    if (index === -1) return undefined;
    const start = this.#starts[index]!;
    this.freeBytes -= bytes;
    this.#starts[index] = start + bytes;
    if (this.#starts[index] === this.#ends[index]) {
      this.#starts.splice(index, 1);
      this.#ends.splice(index, 1);
    }
    return start;
  }

  release(start: number, bytes: number): void {
    const end = start + bytes;
    this.freeBytes += bytes;
    const next = this.#starts.findIndex((other) => other > start);
    const index = next === -1 ? this.#starts.length : next;
    const joinsBefore = index > 0 && this.#ends[index - 1] === start;
    const joinsAfter = this.#starts[index] === end;
    if (joinsBefore && joinsAfter) {
      this.#ends[index - 1] = this.#ends[index]!;
      this.#starts.splice(index, 1);
      this.#ends.splice(index, 1);
    } else if (joinsBefore) {
      this.#ends[index - 1] = end;
    } else if (joinsAfter) {
      this.#starts[index] = start;
    } else {
      this.#starts.splice(index, 0, start);
      this.#ends.splice(index, 0, end);
    }
  }
}
