import { MiB } from '@weir/core';

/** Limits of Kafka clients. */
export const clientLimits = {
  /** The largest response frame a client accepts: 256 MiB of uncompressed records per fetch, plus headers. */
  responseFrameBytesMax: 512 * MiB,

  /**
   * What a server may make a client compute when it logs in: about a second. Kafka's brokers ask for 16,384 at most.
   */
  scramIterationsMax: 1_000_000,

  /** Problems of partitions that a reader remembers, to log each of them once. */
  reportedProblemsMax: 10_000,

  /** Topics whose partitions a producer remembers. */
  producerTopicsMax: 10_000,
} as const;
