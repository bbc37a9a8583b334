import { KiB, MiB } from './bytes.ts';

/**
 * Every limit on what a peer can make grow. A limit that is not here does not exist, so look here first.
 *
 * Values that operators may change are flags; these are their hard ends and the ones nobody should change.
 */
export const caps = {
  /** The largest request frame a server accepts, Apache Kafka's `socket.request.max.bytes` of 100 MiB plus room for one 256 MiB message. */
  requestFrameBytesMax: 356 * MiB,

  /** The largest response frame a client accepts: 256 MiB of uncompressed records per fetch, plus headers. */
  responseFrameBytesMax: 512 * MiB,

  /**
   * The number of array elements in one decoded message. A compact empty struct is one byte on the wire and about
   * sixty in memory, so that without this a 100 MiB frame could claim gigabytes.
   */
  decodedElementsMax: 2 * 1024 * 1024,

  /** A record batch may not inflate beyond this: the largest message of the interface. */
  decompressedBatchBytesMax: 256 * MiB,

  /**
   * The number of separately compressed blocks in one batch. Each costs a call into native code however small it is, so
   * that a request full of empty blocks would hold the thread for a minute. The oldest clients cut snappy blocks at 1 KiB,
   * and this many of those are 64 MiB; today's cut at 32 KiB and more.
   */
  compressedBlocksMax: 64 * 1024,

  /** Every zstd frame costs a fresh decompression context, about 12 µs, and no client is known to write more than one. */
  zstdFramesMax: 1024,

  /** The record errors in one answer. A batch can hold millions of bad records, and nobody reads that many. */
  recordErrorsMax: 1000,

  /**
   * A frame's length is a claim until its bytes have come. Up to here it is believed and the frame gets its buffer at once;
   * beyond, the buffer grows with what was received, so that four bytes cannot reserve hundreds of megabytes.
   */
  believedFrameBytesMax: MiB,

  /** Slices below this are copied next to their neighbours, because one `writev` entry costs more than the copy. */
  copiedSliceBytesMax: 4 * KiB,
} as const;
