import { type Frame, type FrameMemory, unpooledFrame } from '../net/frame-pool.ts';

/** The slabs of a serving thread: how many frames of each are in use. */
export type SlabCounts = Int32Array;

export function slabCounts(slabsMax: number): SharedArrayBuffer {
  return new SharedArrayBuffer(4 * slabsMax);
}

interface SharedFramesOptions {
  readonly counts: SlabCounts;
  readonly slabBytes: number;
  /** Announces a slab to the reader, before a frame in it. Its number is its index. */
  readonly announce: (id: number, memory: SharedArrayBuffer) => void;
  /** Gives the memory of one frame to the reader. */
  readonly give: (id: number, memory: ArrayBuffer) => void;
}

interface Slab {
  readonly index: number;
  readonly bytes: Buffer;
  usedBytes: number;
}

/** Where a frame is, for the thread that serves it. */
interface FramePlace {
  readonly id: number;
  readonly start: number;
}

/**
 * Memory of the frames of a serving thread, which another thread serves and releases. Only this thread takes pieces of
 * a slab, and either releases them; a slab without pieces is used again. Frames that find no room, or are larger, get
 * memory of their own.
 */
export class SharedFrames implements FrameMemory {
  readonly #options: SharedFramesOptions;
  readonly #slabs: Slab[] = [];
  readonly #indexes = new WeakMap<ArrayBufferLike, number>();
  #current: Slab | undefined;
  #lastId: number;

  constructor(options: SharedFramesOptions) {
    this.#options = options;
    this.#lastId = options.counts.length;
  }

  take(bytes: number): Frame {
    const { counts } = this.#options;
    const slab = this.#slabFor(bytes);
    if (slab === undefined) return this.takeLarge(bytes);
    const start = slab.usedBytes;
    slab.usedBytes += bytes;
    Atomics.add(counts, slab.index, 1);
    return slabFrame(slab.bytes.subarray(start, start + bytes), counts, slab.index);
  }

  takeLarge(bytes: number): Frame {
    return unpooledFrame(Buffer.allocUnsafeSlow(bytes));
  }

  /** Hands a frame over: another thread releases it, and this one can no longer read it if it has its own memory. */
  placeOf({ bytes }: Frame): FramePlace {
    const index = this.#indexes.get(bytes.buffer);
    if (index !== undefined) return { id: index, start: bytes.byteOffset };
    this.#lastId = (this.#lastId + 1) | 0;
    // Numbers of slabs are not given again.
    if (this.#lastId < 0) this.#lastId = this.#options.counts.length;
    const start = bytes.byteOffset;
    this.#options.give(this.#lastId, bytes.buffer as ArrayBuffer);
    return { id: this.#lastId, start };
  }

  #slabFor(bytes: number): Slab | undefined {
    const { slabBytes } = this.#options;
    if (bytes > slabBytes) return undefined;
    const current = this.#current;
    if (current !== undefined) {
      if (current.usedBytes + bytes <= slabBytes) return current;
    }
    this.#current = this.#freeSlab() ?? this.#newSlab();
    return this.#current;
  }

  #freeSlab(): Slab | undefined {
    const free = this.#slabs.find(({ index }) => Atomics.load(this.#options.counts, index) === 0);
    if (free !== undefined) free.usedBytes = 0;
    return free;
  }

  #newSlab(): Slab | undefined {
    const { counts, slabBytes, announce } = this.#options;
    const index = this.#slabs.length;
    if (index === counts.length) return undefined;
    const memory = new SharedArrayBuffer(slabBytes);
    const slab = { index, bytes: Buffer.from(memory), usedBytes: 0 };
    this.#slabs.push(slab);
    this.#indexes.set(memory, index);
    announce(index, memory);
    return slab;
  }
}

/** A frame in a slab. */
export function slabFrame(bytes: Buffer, counts: SlabCounts, index: number, hasCheckedCrcs = false): Frame {
  let isReleased = false;
  return {
    bytes,
    hasCheckedCrcs,
    release() {
      if (isReleased) return;
      isReleased = true;
      Atomics.sub(counts, index, 1);
    },
  };
}
