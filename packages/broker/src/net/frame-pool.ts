import { SlabPool } from '../slabs/slab-pool.ts';

/** A received request, in memory that its last user releases. */
export interface Frame {
  readonly bytes: Buffer;
  /** Whether it is a Produce request whose batches were found to match their CRCs when it was received. */
  readonly hasCheckedCrcs?: boolean;
  /** Allows the bytes to be overwritten. Repeated calls have no effect. */
  release(): void;
}

/** Where the frames of connections come from. */
export interface FrameMemory {
  /** `carriesRecords`: no handler retains a part of it. */
  take(bytes: number, carriesRecords: boolean): Frame;
  /** Memory for a frame that is larger than was believed. */
  takeLarge(bytes: number): Frame;
}

interface FramePoolOptions {
  readonly slabBytes: number;
  /** Limit for all slabs together. A frame that does not fit gets ordinary memory. */
  readonly bytesMax: number;
}

/** Memory for frames of all connections. Those that carry records share slabs. */
export class FramePool implements FrameMemory {
  readonly #slabs: SlabPool;

  constructor(options: FramePoolOptions) {
    this.#slabs = new SlabPool({ ...options, allocate: (bytes) => Buffer.allocUnsafeSlow(bytes) });
  }

  /** Bytes of all slabs, used or not. */
  get bytes(): number {
    return this.#slabs.bytes;
  }

  take(bytes: number, carriesRecords: boolean): Frame {
    return (carriesRecords ? this.#slabs.take(bytes) : undefined) ?? this.takeLarge(bytes);
  }

  takeLarge(bytes: number): Frame {
    return unpooledFrame(Buffer.allocUnsafe(bytes));
  }
}

/** A frame in memory that is not reused. */
export function unpooledFrame(bytes: Buffer): Frame {
  return { bytes, release() {} };
}
