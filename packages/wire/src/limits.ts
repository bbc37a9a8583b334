import { MiB } from '@weir/core';

/** Limits of the Kafka protocol: frames, messages and record batches. */
export const wireLimits = {
  /**
   * The number of array elements in one decoded message. A compact empty struct is one byte on the wire and about
   * sixty in memory, so that without this a 100 MiB frame could claim gigabytes.
   */
  decodedElementsMax: 2 * 1024 * 1024,

  /** A record batch may not inflate beyond this: the largest message of the interface. */
  decompressedBatchBytesMax: 256 * MiB,

  /** Records that are walked before others get their turn: about a millisecond. */
  walkedRecordsPerTurnMax: 10_000,

  /**
   * The number of separately compressed blocks in one batch. Each costs a call into native code however small it is,
   * so that a request full of empty blocks would hold the thread for a minute. The oldest clients cut snappy blocks
   * at 1 KiB, and this many of those are 64 MiB; today's cut at 32 KiB and more.
   */
  compressedBlocksMax: 64 * 1024,

  /**
   * Every zstd frame costs a fresh decompression context, about 12 µs, and no client is known to write more than
   * one.
   */
  zstdFramesMax: 1024,

  /** The record errors in one answer. A batch can hold millions of bad records, and no client reads that many. */
  recordErrorsMax: 1000,

  /**
   * A frame's length is a claim until its bytes have come. Up to here it is believed and the frame gets its buffer
   * at once; beyond, the buffer grows with what was received, so that four bytes cannot reserve hundreds of
   * megabytes.
   */
  believedFrameBytesMax: 2 * MiB,
} as const;
