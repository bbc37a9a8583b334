import { MiB } from '@weir/core';

/** Limits of the Kafka protocol: frames, messages and record batches. */
export const wireLimits = {
  /**
   * The number of array elements in one decoded message. A compact empty struct is one byte on the wire and about sixty
   * in memory, so without this limit a 100 MiB frame could claim gigabytes.
   */
  decodedElementsMax: 2 * 1024 * 1024,

  /** The decompressed size of a record batch: the largest message of the interface. */
  decompressedBatchBytesMax: 256 * MiB,

  /** Records that are read before yielding to other work: about a millisecond. */
  walkedRecordsPerTurnMax: 10_000,

  /**
   * The number of separately compressed blocks in one batch. Each costs a call into native code however small it is, so
   * a request full of empty blocks would block the thread for a minute. The oldest clients write snappy blocks of 1
   * KiB, and this many of those are 64 MiB; current ones write 32 KiB and more.
   */
  compressedBlocksMax: 64 * 1024,

  /** Every zstd frame costs a new decompression context, about 12 µs, and no client is known to write more than one. */
  zstdFramesMax: 1024,

  /** The record errors in one response. A batch can have millions of invalid records, and no client reads that many. */
  recordErrorsMax: 1000,

  /**
   * A frame's length is a claim until its bytes have arrived. Up to this size the whole buffer is allocated at once;
   * beyond it, the buffer grows with the received bytes, so that four bytes cannot reserve hundreds of megabytes.
   */
  believedFrameBytesMax: 2 * MiB,
} as const;
