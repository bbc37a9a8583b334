/** A received request, in memory that its last user releases. */
export interface Frame {
  readonly bytes: Buffer;
  /** Allows the bytes to be overwritten. Repeated calls have no effect. */
  release(): void;
}

interface FramePoolOptions {
  readonly slabBytes: number;
  /** Limit for all slabs together. A frame that does not fit gets ordinary memory. */
  readonly bytesMax: number;
}

/** Memory that is given to one frame after the other, from start to end, and reused when none of them is in use. */
interface Slab {
  readonly memory: Buffer;
  usedBytes: number;
  frames: number;
}

/**
 * Memory for frames that carry records. It is reused: a gigabyte of fresh memory per gigabyte received costs page
 * faults and, because it counts as heap pressure, a full garbage collection every few megabytes.
 *
 * Frames of all connections share slabs, so a frame that is never released pins a whole slab. Therefore the pool has a
 * limit, beyond which frames get memory that the garbage collector frees.
 */
export class FramePool {
  readonly #options: FramePoolOptions;
  readonly #free: Slab[] = [];
  #current: Slab | undefined;
  #slabs = 0;

  constructor(options: FramePoolOptions) {
    this.#options = options;
  }

  /** Bytes of all slabs, used or not. */
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
    // A full slab is freed by its last frame, unless that frame was already released.
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

/** A frame in memory that is not reused. */
export function unpooledFrame(bytes: Buffer): Frame {
  return { bytes, release() {} };
}
