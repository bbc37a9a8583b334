/** A request as it came, in memory that whoever is done with it gives back. */
export interface Frame {
  readonly bytes: Buffer;
  /** The bytes may be overwritten from now on. More than once is once. */
  release(): void;
}

interface FramePoolOptions {
  readonly slabBytes: number;
  /** All slabs together. What does not fit is ordinary memory. */
  readonly bytesMax: number;
}

/** Memory that is given to one frame after the other, from its start to its end, and then again when none of them is in use. */
interface Slab {
  readonly memory: Buffer;
  usedBytes: number;
  frames: number;
}

/**
 * Memory for the frames that carry records. It is used again and again: fresh memory of a gigabyte per gigabyte received costs page
 * faults and, because it counts as pressure on the heap, a full garbage collection every few megabytes.
 *
 * Frames of all connections share slabs, so that a frame that is never given back keeps a whole slab. Therefore the pool has an
 * end, beyond which frames get memory of their own that the garbage collector takes care of.
 */
export class FramePool {
  readonly #options: FramePoolOptions;
  readonly #free: Slab[] = [];
  #current: Slab | undefined;
  #slabs = 0;

  constructor(options: FramePoolOptions) {
    this.#options = options;
  }

  /** Bytes of all slabs, whether anything is in them or not. */
  get bytes(): number {
    return this.#slabs * this.#options.slabBytes;
  }

  take(bytes: number): Frame {
    const slab = this.#slabFor(bytes);
    if (slab === undefined) return unpooledFrame(Buffer.allocUnsafe(bytes));
    const start = slab.usedBytes;
    slab.usedBytes += bytes;
    slab.frames++;
    return new PooledFrame(slab.memory.subarray(start, start + bytes), slab, this.#onRelease);
  }

  #slabFor(bytes: number): Slab | undefined {
    const { slabBytes, bytesMax } = this.#options;
    if (bytes > slabBytes) return undefined;
    const current = this.#current;
    if (current !== undefined && current.usedBytes + bytes <= slabBytes) return current;
    // A slab that is full comes back by its last frame, unless that was the case already.
    if (current?.frames === 0) this.#free.push(current);
    this.#current = this.#free.pop();
    if (this.#current !== undefined) {
      this.#current.usedBytes = 0;
    } else if (this.bytes + slabBytes <= bytesMax) {
      this.#slabs++;
      this.#current = { memory: Buffer.allocUnsafeSlow(slabBytes), usedBytes: 0, frames: 0 };
    }
    return this.#current;
  }

  readonly #onRelease = (slab: Slab): void => {
    slab.frames--;
    if (slab.frames > 0) return;
    if (slab === this.#current) slab.usedBytes = 0;
    else this.#free.push(slab);
  };
}

class PooledFrame implements Frame {
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

/** A frame in memory that nobody uses again. */
export function unpooledFrame(bytes: Buffer): Frame {
  return { bytes, release() {} };
}
