import { MiB } from '@weir/core';

/** Limits of journals. */
export const journalLimits = {
  /** Bytes of one read of a journal, and so what a standby holds while it catches up; one append may exceed it. */
  journalReadBytesMax: 8 * MiB,

  /**
   * Bytes of one append to a journal. Further commands wait for the next append; a single larger command goes alone.
   */
  journalAppendBytesMax: 4 * MiB,

  /**
   * Bytes of entries that are in segments and not in the database yet. At the first the database gets them without
   * waiting for its turn; at the second appends fail until it has.
   */
  segmentedEntryBytes: 4 * MiB,
  segmentedEntryBytesMax: 64 * MiB,

  /** Leases renewed or read by one statement. Appends of these clusters wait meanwhile, for some milliseconds. */
  gatheredLeasesMax: 512,
} as const;
