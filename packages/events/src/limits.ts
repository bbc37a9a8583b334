import { KiB, MiB } from '@weir/core';

/** Limits of queries for events and of sidecars. */
export const eventLimits = {
  /** Reads from the bucket that all queries of an agent have under way, and what one query reads ahead. */
  queryReadsMax: 16,
  queryReadAheadBytesMax: 16 * MiB,

  /** What a search for events may reach over: a day. */
  eventsWindowMsMax: 86_400_000,

  /**
   * What one query for events may read, decompressed, and how long it may run. Beyond it the query returns what it
   * has, marked as incomplete.
   */
  eventQueryBytesMax: 16 * 1024 * MiB,
  eventQueryMsMax: 30_000,

  /**
   * Results about parts of the log that an agent caches between queries, and what it holds of a query's records at a
   * time.
   */
  eventQueryCacheBytesMax: 64 * MiB,
  eventScanBytesMax: 4 * MiB,

  /** Threads that scan events, however many cores there are. */
  eventQueryThreadsMax: 8,

  /**
   * Sidecars of events: the events of a stripe, its columns, the keys of a path, the values of a column that has a
   * dictionary, in number and in characters, a chunk when it is unpacked, and the footer of a file.
   */
  sidecarStripeEventsMax: 64 * 1024,
  sidecarColumnsMax: 256,
  sidecarPathKeysMax: 16,
  sidecarDictionaryMax: 4096,
  sidecarDictionaryCharsMax: 64 * KiB,
  sidecarChunkBytesMax: MiB,
  sidecarFooterBytesMax: 32 * MiB,
} as const;
