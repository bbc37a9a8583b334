import { KiB, MiB } from '@weir/core';

/** Limits of object stores and of log files. */
export const storageLimits = {
  /** The longest key of an object, prefix included: what S3 takes. */
  objectKeyBytesMax: 1024,

  /** Objects that one call removes: what S3 takes. */
  deletedKeysMax: 1000,

  /** Connections of one agent to one bucket. Beyond it requests wait, and their time limit runs. */
  storeConnectionsMax: 64,

  /** The head of an HTTP response of a store. */
  storeResponseHeadBytesMax: 64 * KiB,

  /** What is read of the text with which a store explains an error. */
  storeErrorBodyBytesMax: 64 * KiB,

  /** Objects in one page of a list of azblob buckets. */
  listedKeysMax: 1000,

  /** The XML of such a page: properties take about 1.5 KiB of each object, and its name up to six times its length. */
  azureListBodyBytesMax: 16 * MiB,

  /** The largest object of one request to azblob buckets, by the service; a larger one is stored in blocks. */
  azurePutBytesMax: 5000 * MiB,

  /** A page of a list of a store: a thousand keys, each of whose bytes may take several. */
  storeListBodyBytesMax: 8 * MiB,

  /** Entries of a folder of an S3 Express bucket that are sorted at a time. A larger folder is listed several times. */
  directoryEntriesMax: 100_000,

  /** A part of an object that is uploaded in parts, but for the last. S3 takes 10,000 parts of 5 MiB or more. */
  uploadPartBytes: 8 * MiB,

  /** What is written of such an object to a disk before it is synced. */
  uploadSyncBytes: MiB,

  /** A chunk of an object in a database, but for the last: a row that is written and read as a whole. */
  sqlChunkBytes: 1 * MiB,

  /** Chunks of one agent that are on their way to a database, and in memory as copies. */
  sqlChunksInFlightMax: 6,

  /** Connections of one agent to the PostgreSQL server of a bucket. Beyond it requests wait. */
  sqlConnectionsMax: 8,

  /** Buckets behind one `service_multi://` or `service_stripe://`. */
  subBucketsMax: 32,

  /** Copies of objects that slow buckets of `service_multi://` still get after a quorum has them. */
  multiBackgroundBytesMax: 64 * MiB,

  /** Puts that slow buckets of `service_multi://` still get after a quorum has them. */
  multiBackgroundPutsMax: 64,

  /** Objects per bucket of `service_multi://` that a process remembers to copy. The dead-file scan finds others. */
  multiMissedObjectsMax: 10_000,

  /** How fast a process copies objects to a bucket of `service_multi://` that missed them, per second. */
  multiRepairBytesPerSecondMax: 32 * MiB,

  /** Parts of an object, which has 78 GiB at most: what S3 takes. */
  uploadPartsMax: 10_000,

  /** A segment of a bucket on disk, but for one with a single larger commit. */
  segmentBytes: 64 * MiB,

  /** Segments without files that are kept to be written again. Others are removed. */
  freeSegmentsMax: 4,

  /** What segments may take beyond twice the size of the files in them, before those are copied out. */
  sparseSegmentsBytesMax: 256 * MiB,

  /** Deletions of files in segments that one commit carries. */
  deletionsPerFrameMax: 1000,

  /** The footer of a log file: room for more than a million partitions in one file. */
  logFileFooterBytesMax: 64 * MiB,
} as const;
