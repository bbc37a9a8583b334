import type { CallRules } from '@weir/sql/database-thread';
import type { JournalTables } from './tables.ts';

/** The methods that the thread of the file serves; the others need no database. */
type SqliteMethod = Exclude<
  keyof JournalTables,
  'notify' | 'listen' | 'check' | 'close' | 'processId' | 'isGone' | 'isDiskFull'
>;

export type SqliteOperations = {
  [Name in SqliteMethod]: (
    ...args: Parameters<JournalTables[Name]>
  ) => Awaited<ReturnType<JournalTables[Name]>>;
};

/** Why a call failed, as the thread says it. */
export interface SqliteProblem {
  readonly message: string;
  readonly isDiskFull: boolean;
}

/**
 * Calls that need not survive a power failure by themselves do not wait for the disk. An append after them waits only
 * for its own write.
 *
 * - A piece of a snapshot: it is invisible before `finishSnapshot`, whose wait for the disk covers everything before
 *   it.
 * - Signs of life: the renewal of a lease and the beat of a member. Every process that could have seen them runs on
 *   this machine, and so is gone too when they are lost; a process that starts afterwards watches a whole lease from
 *   the start. A crash of the process alone loses nothing, since the system has what was written. (A database on
 *   another machine is different: there a watcher outlives the loss, takes an earlier counter for one that was never
 *   raised, and takes the lease too soon.)
 * - The note for the next leader, which is a hint.
 */
export const sqliteRules: CallRules<SqliteOperations> = {
  heads: { reads: true },
  append: { moves: 4 },
  chunks: { reads: true },
  chunkAt: { reads: true },
  takeLease: {},
  renewLeases: { waitsForDisk: false },
  releaseLease: {},
  beginSnapshot: {},
  addSlice: { moves: 2, waitsForDisk: false },
  finishSnapshot: {},
  snapshots: { reads: true },
  slice: { reads: true },
  prune: {},
  segmentMark: { reads: true },
  setSegmentMark: {},
  hasClusters: { reads: true },
  removeCluster: {},
  putNote: { moves: 2, waitsForDisk: false },
  note: { reads: true },
  beat: { waitsForDisk: false },
  beats: { reads: true },
  removeMember: {},
};
