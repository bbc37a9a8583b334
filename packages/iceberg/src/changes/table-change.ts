import type { Clock, Random } from '@weir/core';
import type { TableFiles } from '../files/table-files.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';
import type { TableCommit } from '../metadata/updates.ts';

/**
 * A change of a table that can be made on top of any newer state: it is validated and prepared anew for each attempt.
 */
export interface TableChange {
  /** Whether the state has the change: an earlier attempt, whose answer was lost, has succeeded. */
  isIn(metadata: TableMetadata): boolean;

  /**
   * What to commit on top of a state; may write files before. Throws `ChangeRefused` if the change does not fit the
   * state. `undefined` if there is nothing to do.
   */
  on(metadata: TableMetadata): Promise<TableCommit | undefined>;

  /**
   * Files that were written and that no state refers to, once it is certain whether the change is in: `committed` is
   * the state that has it, or absent if no attempt succeeded.
   */
  unusedFiles(committed: TableMetadata | undefined): readonly string[];
}

export interface ChangeDeps {
  readonly files: TableFiles;
  readonly clock: Clock;
  readonly random: Random;
}
