import { brokerLimits } from '../limits.ts';
import { ExtentPool } from '../slabs/extent-pool.ts';
import type { MemoryPool } from '../slabs/memory-pool.ts';

interface PagePoolOptions {
  readonly bytesMax: number;
  readonly slabBytes?: number;
  readonly poisons?: boolean;
}

/** Creates the memory of copies for answers. */
export function createCopyPool(poisons = false): MemoryPool {
  const { copySlabBytes: slabBytes, copiedBytesMax: bytesMax } = brokerLimits;
  return createPagePool({ slabBytes, bytesMax, poisons });
}

/** Creates the memory of pages. Pages that find no room in it get memory of their own. */
export function createPagePool({ bytesMax, slabBytes, poisons }: PagePoolOptions): MemoryPool {
  return new ExtentPool({
    slabBytes: slabBytes ?? brokerLimits.pageSlabBytes,
    bytesMax,
    poisons,
    // V8 does not count shared memory as pressure on its heap, and the pool has a limit of its own.
    allocate: (bytes) => Buffer.from(new SharedArrayBuffer(bytes)),
  });
}
