import { KiB, MiB } from '@weir/core';

export const storageLimits = {
  /** The longest key of an object, including the prefix: the limit of S3. */
  objectKeyBytesMax: 1024,

  /** Connections of one agent to one bucket. Further requests wait, and their timeout runs meanwhile. */
  storeConnectionsMax: 64,

  /** The head of an HTTP response of a store. */
  storeResponseHeadBytesMax: 64 * KiB,

  /** How much of a store's error text is read. */
  storeErrorBodyBytesMax: 64 * KiB,

  /** The footer of a log file: enough for more than a million partitions in one file. */
  logFileFooterBytesMax: 64 * MiB,
} as const;
