import { SlabPool } from '../slabs/slab-pool.ts';

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

/** Memory for frames that carry records. Frames of all connections share it. */
export class FramePool {
  readonly #slabs: SlabPool;

  constructor(options: FramePoolOptions) {
    this.#slabs = new SlabPool({ ...options, allocate: (bytes) => Buffer.allocUnsafeSlow(bytes) });
  }

  /** Bytes of all slabs, used or not. */
  get bytes(): number {
    return this.#slabs.bytes;
  }

  take(bytes: number): Frame {
    return this.#slabs.take(bytes) ?? unpooledFrame(Buffer.allocUnsafe(bytes));
  }
}

/** A frame in memory that is not reused. */
export function unpooledFrame(bytes: Buffer): Frame {
  return { bytes, release() {} };
}
