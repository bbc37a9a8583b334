/**
 * Commits a change, again and again on top of newer states until it is in or refused.
 *
 *     load ──► in already? ──yes──► done
 *       ▲          │ no
 *       │      change.on(state) ──refused──► its files are deleted
 *       │          │
 *       │      catalog.commit ──ok──► done, files of earlier attempts are deleted
 *       │          │
 *       └──────────┴── conflict: pause, try again
 *                      unknown: pause, try again, and delete nothing unless the end is certain
 *
 * A change has one snapshot id for all attempts. So a commit whose answer was lost is recognised in the table, also if
 * it arrives after the next attempt began: of two attempts on the same state only one can succeed.
 */
import { type Clock, type JitteredBackOff, jitteredBackOffMs, type Log, type Random } from '@weir/core';
import type { Catalog, LoadedTable, TableName } from '../catalogs/catalog.ts';
import { shownName } from '../catalogs/catalog.ts';
import type { TableFiles } from '../files/table-files.ts';
import { ChangeRefused, CommitConflict, CommitUnknown } from '../table-errors.ts';
import type { TableChange } from './table-change.ts';

interface CommitOptions {
  readonly files: TableFiles;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Attempts before the change is given up. */
  readonly attemptsMax?: number | undefined;
}

const attemptsMaxByDefault = 20;
const backOff: JitteredBackOff = { firstMs: 100, maxMs: 10_000, jitter: 'full' };

export async function commitChange(
  catalog: Catalog,
  table: TableName,
  change: TableChange,
  options: CommitOptions,
): Promise<LoadedTable> {
  const { files, clock, random, log, attemptsMax = attemptsMaxByDefault } = options;
  /** Whether an earlier attempt may still arrive. */
  let isUncertain = false;
  const cleanUp = async (committed: LoadedTable | undefined): Promise<void> => {
    if (isUncertain && committed === undefined) return;
    const unused = change.unusedFiles(committed?.metadata);
    // What is left over is found by the clean-up of orphans.
    await files.delete(unused).catch((error: unknown) => {
      log.warn('failed to delete files of a failed commit', {
        table: shownName(table),
        error: String(error),
      });
    });
  };
  let failure: unknown;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    if (attempt > 0) {
      const delayMs = jitteredBackOffMs(attempt - 1, backOff, random);
      await new Promise<void>((resolve) => clock.after(delayMs, resolve));
    }
    const loaded = await catalog.load(table);
    if (change.isIn(loaded.metadata)) {
      await cleanUp(loaded);
      return loaded;
    }
    try {
      const commit = await change.on(loaded.metadata);
      if (commit === undefined) return loaded;
      const committed = await catalog.commit(table, commit);
      await cleanUp(committed);
      return committed;
    } catch (error) {
      failure = error;
      if (error instanceof CommitUnknown) isUncertain = true;
      else if (!(error instanceof CommitConflict)) {
        if (error instanceof ChangeRefused) await cleanUp(undefined);
        throw error;
      }
      log.debug('retrying commit of table', { table: shownName(table), attempt, error: String(error) });
    }
  }
  if (failure instanceof CommitConflict && !isUncertain) await cleanUp(undefined);
  throw failure;
}
