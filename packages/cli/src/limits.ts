import { KiB, MiB } from '@weir/core';

export const cliLimits = {
  /** The largest response frame a client accepts: 256 MiB of uncompressed records per fetch, plus headers. */
  responseFrameBytesMax: 512 * MiB,

  /**
   * Bounds the work that a server can demand of a client at login: about a second. Kafka's brokers ask for at most
   * 16,384.
   */
  scramIterationsMax: 1_000_000,

  /** A line that a supervised process writes. A longer one is forwarded in pieces. */
  passedLineCharactersMax: 64 * KiB,

  /** Concurrent calls of `weir apply`, and the size of a file that it reads. */
  applyCallsMax: 8,
  applyFileBytesMax: 16 * MiB,
} as const;
