/**
 * The ordered truth of one virtual cluster on disk: numbered entries, snapshots of what they add up to, and the lease of
 * the one process that may append.
 *
 * Safety rests on the epoch, never on time. Taking the lease raises the epoch in the same row that every append checks and
 * locks, so that an append of an earlier holder fails however late it comes. Time decides only when somebody else may try
 * (lease-watch.ts has the rule).
 */
export interface Journal {
  /**
   * Stores the entries at `firstPosition` and behind, all or none, and returns when they will survive a crash. Fails with
   * `Fenced` when the epoch is not the newest or the position is not the next. Appending the same again under the same epoch
   * succeeds, so that an append whose answer was lost can be repeated.
   */
  append(epoch: number, firstPosition: number, entries: readonly Buffer[]): Promise<void>;

  /**
   * Entries from a position on, at most `limit` and at most about `clusterLimits.journalReadBytesMax` of them; none at the end. Fails
   * with `EntriesPruned` when only a snapshot still has them.
   */
  read(fromPosition: number, limit: number): Promise<Buffer[]>;

  /**
   * Keeps a snapshot of all entries before `position`, which have to be durable, and drops what it makes superfluous: of
   * older snapshots the newest stays, and so do all entries since that one. Slices are taken and written one by one, so that
   * appends get through in between, and so that whoever makes them does so bit by bit; their memory goes with them. Returns the
   * size in bytes.
   */
  saveSnapshot(position: number, slices: Iterable<Buffer>): Promise<number>;
  /** The newest snapshot whose position is at most `positionMax`. */
  loadSnapshot(positionMax?: number): Promise<StoredSnapshot | undefined>;
  /** Where the newest snapshot stands, 0 when there is none. */
  snapshotPosition(): Promise<number>;

  /**
   * Takes the lease when it is free, and otherwise says who has it. Call it again after `retryInMs` at the latest.
   *
   * `graceMs` says how long a free lease is left to others first; it is told who held it last, if that is known. Whoever asks for a
   * lease that stands under its own id does not wait.
   */
  acquireLease(
    holder: LeaseHolder,
    ttlMs: number,
    graceMs?: (lastHolderId: string | undefined) => number,
  ): Promise<LeaseAnswer>;
  /** Holds the lease for another `ttlMs`. Fails with `Fenced` when somebody else took it. */
  renewLease(epoch: number): Promise<void>;
  /** Gives the lease back, so that nobody has to wait for its end. */
  releaseLease(epoch: number): Promise<void>;

  /** Leaves a note to the next leader: soft state that is not worth an entry. Under an old epoch it is dropped. */
  leaveNote(epoch: number, note: Buffer): Promise<void>;
  readNote(): Promise<Buffer | undefined>;

  /** Calls `onNews` soon after somebody appended or let go of the lease. A hint: some news may be missed, so poll as well. */
  watch(onNews: () => void): () => void;
}

export interface StoredSnapshot {
  readonly position: number;
  readonly bytes: Buffer;
}

export interface LeaseHolder {
  /** Whoever asks again under the same id gets the lease at once, under a new epoch: a process that was started again. */
  readonly id: string;
  /** Where its control plane can be reached. */
  readonly url: string;
}

export type LeaseAnswer =
  | { readonly epoch: number; readonly nextPosition: number }
  | {
      readonly epoch?: undefined;
      readonly heldBy: LeaseHolder;
      readonly retryInMs: number;
      /** The position behind the last entry, so that a standby knows whether there is something to read. */
      readonly nextPosition: number;
    };

/** All journals of one database. */
export interface JournalHub {
  journal(clusterId: string): Journal;
  /**
   * A name for this process under which it may hold leases, where the database can tell when a process is gone: then nobody waits
   * for the lease of a dead one. `undefined` where it cannot; then any id will do that nobody else has.
   */
  processId(): string | undefined;
  /** Says that a control-plane process lives; has to be repeated well within `memberSilenceMsMax`. */
  announce(member: LeaseHolder): Promise<void>;
  withdraw(memberId: string): Promise<void>;
  /** The control-plane processes that live, as far as this one could watch them. */
  members(): Promise<LeaseHolder[]>;
  /** Removes all that there is of a cluster that nobody serves any more. Whoever still believes to lead it can append nothing. */
  forget(clusterId: string): Promise<void>;
  /** Fails with `NewerFormat` when a newer release has written there, and in any other way when the database does not answer. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Somebody else is the leader now, and nothing was stored. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

/** The entries are gone; a snapshot stands for them. */
export class EntriesPruned extends Error {
  override readonly name = 'EntriesPruned';
}

/** A control-plane process whose announcement did not change for this long is gone. */
export const memberSilenceMsMax = 10_000;
