import type { LeaseRow } from './lease-watch.ts';

/**
 * What a database has to do for journals: rows in, rows out, each call atomic. table-journal.ts makes the port of it, so that
 * a driver holds no rule twice. A method must not depend on `this` being called one at a time; calls overlap.
 */
export interface JournalTables {
  /** The rows of the clusters, in the order of the ids. One that is missing is as `noHead`. */
  heads(clusterIds: readonly string[]): Promise<Head[]>;

  /** In one transaction: if the head has this epoch and next position, adds the chunk and moves the head. Says whether it did. */
  append(
    clusterId: string,
    epoch: number,
    firstPosition: number,
    count: number,
    packed: Buffer<ArrayBuffer>,
  ): Promise<boolean>;
  /** The chunk that holds a position and those behind it, until `bytesMax` is reached; at least one if there is one. */
  chunks(clusterId: string, fromPosition: number, bytesMax: number): Promise<Chunk[]>;
  /** Who appended the chunk that starts exactly here. */
  chunkAt(
    clusterId: string,
    firstPosition: number,
  ): Promise<{ readonly epoch: number; readonly count: number } | undefined>;

  /** If epoch and renewal are still these, raises the epoch and enters the holder. Says whether it did. Makes a row that is missing. */
  takeLease(
    clusterId: string,
    epoch: number,
    renewal: number,
    holderId: string,
    holderUrl: string,
    ttlMs: number,
  ): Promise<boolean>;
  /** Raises the counters of those that are still held under their epoch, and says of each whether it is. In one transaction. */
  renewLeases(leases: readonly LeaseToRenew[]): Promise<boolean[]>;
  releaseLease(clusterId: string, epoch: number): Promise<void>;

  /** Makes an unfinished snapshot and returns its id, which is larger than every one before. */
  beginSnapshot(clusterId: string, position: number): Promise<number>;
  addSlice(snapshotId: number, index: number, bytes: Buffer<ArrayBuffer>): Promise<void>;
  /** From now on the snapshot can be found. */
  finishSnapshot(snapshotId: number, sliceCount: number, bytes: number): Promise<void>;
  /** Finished snapshots of the cluster, newest first. */
  snapshots(clusterId: string): Promise<SnapshotRow[]>;
  slice(snapshotId: number, index: number): Promise<Uint8Array>;
  /**
   * Deletes some of the snapshots whose id is below `snapshotIdMin` and is not kept, and some of the chunks that end at
   * `position` or before. Says whether there is more to do.
   */
  prune(clusterId: string, snapshotIdMin: number, keptSnapshotId: number, position: number): Promise<boolean>;

  /** Deletes the head and the note of a cluster; its chunks and snapshots are pruned. */
  removeCluster(clusterId: string): Promise<void>;

  /** Does nothing when the epoch is not the newest. */
  putNote(clusterId: string, epoch: number, note: Buffer<ArrayBuffer>): Promise<void>;
  note(clusterId: string): Promise<Uint8Array | undefined>;

  /** Enters the member or raises its counter. */
  beat(memberId: string, url: string): Promise<void>;
  beats(): Promise<MemberRow[]>;
  /** With a `beat`, only when the counter still is this. */
  removeMember(memberId: string, beat: number | null): Promise<void>;

  /** A name for this process whose end the others can be sure of, if the database has such names. */
  processId?(): string;
  /** Whether the process of this name is gone for certain, and can believe in no lease any more. */
  isGone?(processId: string): boolean;

  /** Tells other processes that a cluster has news. */
  tell(clusterId: string): void;
  /** Calls back when another process told of a cluster, or with `undefined` when something may have been missed. */
  listen(onNews: (clusterId: string | undefined) => void): void;

  /** Fails with `NewerFormat` when a newer release has written there; where that cannot be said before the first call, for a server. */
  check?(): Promise<void>;

  close(): Promise<void>;
}

export interface Head extends LeaseRow {
  readonly nextPosition: number;
  /** Who gave the lease back, when nobody holds it since. */
  readonly releasedBy: string | undefined;
}

/** What is known of a cluster of which nobody has written anything yet. */
export const noHead: Head = {
  epoch: 0,
  renewal: 0,
  ttlMs: 0,
  holder: undefined,
  releasedBy: undefined,
  nextPosition: 0,
};

export interface LeaseToRenew {
  readonly clusterId: string;
  readonly epoch: number;
}

export interface Chunk {
  readonly firstPosition: number;
  readonly count: number;
  readonly packed: Uint8Array;
}

export interface SnapshotRow {
  readonly id: number;
  readonly position: number;
  readonly sliceCount: number;
  readonly bytes: number;
}

export interface MemberRow {
  readonly id: string;
  readonly url: string;
  readonly beat: number;
}
