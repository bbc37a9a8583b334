import type { MemoryPool, PooledMemory } from './memory-pool.ts';

interface SlabPoolOptions {
  readonly slabBytes: number;
  /** Limit for all slabs together. */
  readonly bytesMax: number;
  /** Allocates the memory of a slab. */
  readonly allocate: (bytes: number) => Buffer;
  /** For tests: overwrites slabs that are free, so that a further use shows. */
  readonly poisons?: boolean | undefined;
}

/** Memory that is given out piece by piece, from start to end, and used again when none of its pieces is in use. */
interface Slab {
  readonly memory: Buffer;
  usedBytes: number;
  pieces: number;
}

const poison = 0xdb;

/**
 * Memory that is used again. A gigabyte of fresh memory per gigabyte of records costs page faults, and V8 marks its
 * whole heap after every 64 MB of it, which took more than half of the processor time of reading.
 *
 * Pieces share slabs, so a piece that is never released pins a whole slab. The pool does not refer to slabs in use, so
 * that such a slab is not lost, but left to the garbage collector. Only a release that comes too early does harm.
 */
export class SlabPool implements MemoryPool {
  readonly #options: SlabPoolOptions;
  readonly #free: Slab[] = [];
  readonly #collected = new FinalizationRegistry<undefined>(() => {
    this.#slabs--;
  });
  #current: Slab | undefined;
  #slabs = 0;

  constructor(options: SlabPoolOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#slabs * this.#options.slabBytes;
  }

  /** Bytes of slabs that nothing uses. */
  get freeBytes(): number {
    return (this.#free.length + (this.#current?.pieces === 0 ? 1 : 0)) * this.#options.slabBytes;
  }

  take(bytes: number): PooledMemory | undefined {
    if (bytes === 0) return undefined;
    const slab = this.#slabFor(bytes);
    if (slab === undefined) return undefined;
    const start = slab.usedBytes;
    slab.usedBytes += bytes;
    slab.pieces++;
    return new SlabPiece(slab.memory.subarray(start, start + bytes), slab, this.#onRelease);
  }

  #slabFor(bytes: number): Slab | undefined {
    const { slabBytes, bytesMax } = this.#options;
    if (bytes > slabBytes) return undefined;
    const current = this.#current;
    if (current !== undefined && current.usedBytes + bytes <= slabBytes) return current;
    // A full slab is freed by its last piece, unless that was already released.
    if (current?.pieces === 0) this.#free.push(current);
    this.#current = this.#free.pop();
    if (this.#current !== undefined) this.#current.usedBytes = 0;
    else if (this.bytes + slabBytes <= bytesMax) this.#current = this.#newSlab();
    return this.#current;
  }

  #newSlab(): Slab {
    const { slabBytes, allocate } = this.#options;
    this.#slabs++;
    const slab: Slab = { memory: allocate(slabBytes), usedBytes: 0, pieces: 0 };
    this.#collected.register(slab, undefined);
    return slab;
  }

  readonly #onRelease = (slab: Slab): void => {
    slab.pieces--;
    if (slab.pieces > 0) return;
    if (this.#options.poisons === true) slab.memory.fill(poison);
    if (slab === this.#current) slab.usedBytes = 0;
    else this.#free.push(slab);
  };
}

class SlabPiece implements PooledMemory {
  readonly bytes: Buffer;
  readonly #onRelease: (slab: Slab) => void;
  #slab: Slab | undefined;

  constructor(bytes: Buffer, slab: Slab, onRelease: (slab: Slab) => void) {
    this.bytes = bytes;
    this.#slab = slab;
    this.#onRelease = onRelease;
  }

  release(): void {
    const slab = this.#slab;
    this.#slab = undefined;
    if (slab !== undefined) this.#onRelease(slab);
  }
}
