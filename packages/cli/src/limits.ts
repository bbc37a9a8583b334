import { KiB, MiB } from '@weir/core';

/** Limits of the commands. */
export const cliLimits = {
  /** A line that a supervised process writes. A longer one is passed on in pieces. */
  passedLineCharactersMax: 64 * KiB,

  /** A file of offsets for `weir cli reset-offsets`: about 100,000 partitions. */
  offsetsFileBytesMax: 16 * MiB,

  /** A message, or a mapping, of `weir cli blobl`. */
  mappedLineCharactersMax: 16 * MiB,

  /** Calls that `weir apply` has under way at a time, and the length of a file that it reads. */
  applyCallsMax: 8,
  applyFileBytesMax: 16 * MiB,

  /**
   * Subjects of a schema registry in one document of `weir apply`, schemas of one subject, the size of a schema, and of
   * all files with schemas together, which are in memory.
   */
  applySubjectsMax: 10_000,
  applySchemasPerSubjectMax: 100,
  applySchemaBytesMax: 1 * MiB,
  applySchemaFilesBytesMax: 128 * MiB,
} as const;
