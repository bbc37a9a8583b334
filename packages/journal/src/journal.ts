import type { FileContent } from '@weir/cluster';

/**
 * The durable log of one virtual cluster: numbered entries, snapshots of their state, and the lease of the one process
 * that may append.
 *
 * Safety depends on the epoch, never on time. Taking the lease raises the epoch in the same row that every append
 * checks and locks, so an append of an earlier holder fails however late it comes. Time decides only when another
 * process may try (see lease-watch.ts).
 */
export interface Journal {
  /**
   * Stores the entries from `firstPosition` on, all or none; resolves when they will survive a crash. Fails with
   * `Fenced` if the epoch is not the newest or the position is not the next. Repeating an append with the same epoch
   * succeeds, so that an append whose answer was lost can be retried.
   *
   * A journal in segments stores log files together with the entries that commit them (`segmented-journals.ts`). Their
   * slices must not be changed before the promise settles.
   */
  append(
    epoch: number,
    firstPosition: number,
    entries: readonly Buffer[],
    contents?: readonly FileContent[],
  ): Promise<void>;

  /** The newest epoch, 0 if there was none, and the position after the last entry. */
  head(): Promise<JournalHead>;

  /**
   * Entries from a position on, at most `limit` and at most about `journalLimits.journalReadBytesMax`; none at the end.
   * Fails with `EntriesPruned` if only a snapshot still contains them.
   */
  read(fromPosition: number, limit: number): Promise<Buffer[]>;

  /**
   * Stores a snapshot of all entries before `position`, which must be durable, and drops what it replaces: of older
   * snapshots the newest stays, and so do all entries since that one. Slices are pulled and written one by one, so that
   * appends get through in between and the producer can create them incrementally; their memory is transferred. Returns
   * the size in bytes.
   *
   * `isAlone` says that nothing else uses the database, so that no pauses are made for others.
   */
  saveSnapshot(
    position: number,
    slices: Iterable<Buffer>,
    options?: { readonly isAlone?: boolean },
  ): Promise<number>;
  /** The newest snapshot whose position is at most `positionMax`. */
  loadSnapshot(positionMax?: number): Promise<StoredSnapshot | undefined>;
  /**
   * The same snapshot, read slice by slice, for readers that need not hold all of it. Reading fails if the snapshot was
   * pruned meanwhile.
   */
  openSnapshot(positionMax?: number): Promise<OpenSnapshot | undefined>;
  /** The position of the newest snapshot, 0 if there is none. */
  snapshotPosition(): Promise<number>;

  /**
   * Takes the lease if it is free, and otherwise returns its holder. Must be called again after `retryInMs` at the
   * latest.
   *
   * `graceMs` returns how long a free lease is left to others first; its argument is the last holder, if known. A
   * process that asks for a lease with its own id does not wait.
   */
  acquireLease(
    holder: LeaseHolder,
    ttlMs: number,
    graceMs?: (lastHolderId: string | undefined) => number,
  ): Promise<LeaseAnswer>;
  /** Extends the lease by another `ttlMs`. Fails with `Fenced` if another process took it. */
  renewLease(epoch: number): Promise<void>;
  /** Releases the lease, so that no process has to wait for its expiry. */
  releaseLease(epoch: number): Promise<void>;

  /** Stores a note for the next leader: soft state that does not justify an entry. Dropped if the epoch is old. */
  leaveNote(epoch: number, note: Buffer): Promise<void>;
  readNote(): Promise<Buffer | undefined>;

  /**
   * Calls `onNews` soon after an append or a release of the lease. A hint: notifications may be lost, so poll as well.
   */
  watch(onNews: () => void): () => void;
}

export interface JournalHead {
  readonly epoch: number;
  readonly nextPosition: number;
}

export interface StoredSnapshot {
  readonly position: number;
  readonly bytes: Buffer;
}

export interface OpenSnapshot {
  readonly position: number;
  readonly byteCount: number;
  /** May be read once. */
  readonly slices: AsyncIterable<Uint8Array>;
}

export interface LeaseHolder {
  /** A process that asks again with the same id gets the lease at once, with a new epoch: it was restarted. */
  readonly id: string;
  /** The address of its control plane. */
  readonly url: string;
}

/** A live control-plane process. */
export interface Member extends LeaseHolder {
  /** Where it runs, if it is set. SQLite does not store it: its processes are on one machine. */
  readonly region?: string | undefined;
}

export type LeaseAnswer =
  | { readonly epoch: number; readonly nextPosition: number }
  | {
      readonly epoch?: undefined;
      readonly heldBy: LeaseHolder;
      readonly retryInMs: number;
      /** How often the holder has renewed the lease; a number that grows shows that the holder lives. */
      readonly renewal: number;
      /** The position after the last entry, which shows a standby whether there is something to read. */
      readonly nextPosition: number;
    };

/** All journals of one database. */
export interface JournalHub {
  journal(clusterId: string): Journal;
  /**
   * The name of this process as a lease holder, if the database can detect that a process is gone: then no process
   * waits for the lease of a dead one. `undefined` if it cannot; then any unique id will do.
   */
  processId(): string | undefined;
  /** Announces a live control-plane process; must be repeated well within `memberSilenceMsMax`. */
  announce(member: Member): Promise<void>;
  withdraw(memberId: string): Promise<void>;
  /** The live control-plane processes, as far as this one has observed them. */
  members(): Promise<Member[]>;
  /** Whether the database has no cluster: nothing was ever led there, or all of it was removed. */
  isEmpty(): Promise<boolean>;
  /**
   * Removes all data of a cluster that is no longer served. A process that still considers itself its leader can append
   * nothing.
   */
  forget(clusterId: string): Promise<void>;
  /**
   * Fails with `NewerFormat` if a newer release has written there, and with any other error if the database does not
   * answer.
   */
  check(): Promise<void>;
  /** Which segments of a bucket the database needs; `undefined` if it needs none. */
  segmentMark(): Promise<SegmentMark | undefined>;
  /** Earlier releases refuse a database with a mark. Durable when it resolves. */
  setSegmentMark(mark: SegmentMark | undefined): Promise<void>;
  /** Whether a call failed with `DiskFull` within the last seconds. */
  isDiskFull(): boolean;
  close(): Promise<void>;
}

/** Says that log files, and perhaps the last entries, of a database are in the segments of a bucket. */
export interface SegmentMark {
  readonly logId: string;
  readonly hasEntries: boolean;
}

/** Another process is the leader now, and nothing was stored. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

/** The disk of the database has no space left, and nothing was stored. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull';
}

/** The entries are gone; a snapshot replaces them. */
export class EntriesPruned extends Error {
  override readonly name = 'EntriesPruned';
}

/** How long an announcement may stay unchanged before its control-plane process counts as gone. */
export const memberSilenceMsMax = 10_000;
