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

  /** Slices below this are copied next to their neighbours, because one `writev` entry costs more than the copy. */
  copiedSliceBytesMax: 4 * KiB,
} as const;
