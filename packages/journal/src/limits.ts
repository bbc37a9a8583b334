import { MiB } from '@weir/core';

/** Limits of journals. */
export const journalLimits = {
  /** Bytes of one read of a journal, and so what a standby holds while it catches up; one append may exceed it. */
  journalReadBytesMax: 8 * MiB,

  /**
   * Bytes of one append to a journal. Further commands wait for the next append; a single larger command goes alone.
   */
  journalAppendBytesMax: 4 * MiB,

  /** Leases renewed or read by one statement. Appends of these clusters wait meanwhile, for some milliseconds. */
  gatheredLeasesMax: 512,
} as const;
