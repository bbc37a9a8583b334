import type { SegmentMark } from './journal.ts';
import type { LeaseRow } from './lease-watch.ts';

/**
 * The operations that a database provides for journals: rows in, rows out, each call atomic. table-journal.ts builds
 * the port on top, so that no driver repeats a rule. Calls overlap; a method must not rely on serial execution.
 */
export interface JournalTables {
  /** The rows of the clusters, in the order of the ids. A missing one is `noHead`. */
  heads(clusterIds: readonly string[]): Promise<Head[]>;

  /**
   * In one transaction: if the head has this epoch and next position, adds the chunk and moves the head. Returns
   * whether it did.
   */
  append(
    clusterId: string,
    epoch: number,
    firstPosition: number,
    count: number,
    packed: Buffer<ArrayBuffer>,
  ): Promise<boolean>;
  /**
   * The chunk that contains a position and those after it, until `bytesMax` is reached; at least one if there is one.
   */
  chunks(clusterId: string, fromPosition: number, bytesMax: number): Promise<Chunk[]>;
  /** The epoch and count of the chunk that starts exactly here. */
  chunkAt(clusterId: string, firstPosition: number): Promise<ChunkHead | undefined>;

  /**
   * If epoch and renewal are unchanged, raises the epoch and enters the holder. Returns whether it did. Creates a
   * missing row.
   */
  takeLease(taking: LeaseTaking): Promise<boolean>;
  /**
   * Raises the counters of leases that are still held with their epoch, and returns for each whether it is. One
   * transaction.
   */
  renewLeases(leases: readonly LeaseToRenew[]): Promise<boolean[]>;
  releaseLease(clusterId: string, epoch: number): Promise<void>;

  /** Creates an unfinished snapshot and returns its id, which is larger than every earlier one. */
  beginSnapshot(clusterId: string, position: number): Promise<number>;
  addSlice(snapshotId: number, index: number, bytes: Buffer<ArrayBuffer>): Promise<void>;
  /** Makes the snapshot visible. */
  finishSnapshot(snapshotId: number, sliceCount: number, bytes: number): Promise<void>;
  /** Finished snapshots of the cluster, newest first. */
  snapshots(clusterId: string): Promise<SnapshotRow[]>;
  slice(snapshotId: number, index: number): Promise<Uint8Array>;
  /**
   * Deletes some of the snapshots with an id below `snapshotIdMin` other than `retainedSnapshotId`, and some of the
   * chunks that end at or before `position`. Returns whether there is more to do.
   */
  prune(
    clusterId: string,
    snapshotIdMin: number,
    retainedSnapshotId: number,
    position: number,
  ): Promise<boolean>;

  /** Whether any cluster has a head. */
  hasClusters(): Promise<boolean>;
  /** Deletes the head and the note of a cluster; `prune` deletes its chunks and snapshots. */
  removeCluster(clusterId: string): Promise<void>;

  /** Does nothing if the epoch is not the newest. */
  putNote(clusterId: string, epoch: number, note: Buffer<ArrayBuffer>): Promise<void>;
  note(clusterId: string): Promise<Uint8Array | undefined>;

  /** Enters the member or raises its counter. */
  beat(memberId: string, url: string, region: string | undefined): Promise<void>;
  beats(): Promise<MemberRow[]>;
  /** With a `beat`, only if the counter is unchanged. */
  removeMember(memberId: string, beat: number | null): Promise<void>;

  /** See `JournalHub`. */
  segmentMark(): Promise<SegmentMark | undefined>;
  setSegmentMark(mark: SegmentMark | undefined): Promise<void>;

  /** A name for this process whose end others can detect, if the database supports such names. */
  processId?(): string;
  /** Whether the process of this name is certainly gone, and can no longer rely on any lease. */
  isGone?(processId: string): boolean;
  /** Whether the disk was full within the last seconds; never if absent. */
  isDiskFull?(): boolean;

  /** Notifies other processes of a change of a cluster. */
  notify(clusterId: string): void;
  /** Calls back when another process notified of a cluster, or with `undefined` if notifications may have been lost. */
  listen(onNews: (clusterId: string | undefined) => void): void;

  /**
   * Fails with `NewerFormat` if a newer release has written there; for servers, which cannot be checked before the
   * first call.
   */
  check?(): Promise<void>;

  close(): Promise<void>;
}

export interface Head extends LeaseRow {
  readonly nextPosition: number;
  /** The process that released the lease, if it is free since. */
  readonly releasedBy: string | undefined;
}

/** The head of a cluster without any writes. */
export const noHead: Head = {
  epoch: 0,
  renewal: 0,
  ttlMs: 0,
  holder: undefined,
  releasedBy: undefined,
  nextPosition: 0,
};

/** A head as databases store it. */
export interface HeadRow {
  readonly next_position: number;
  readonly epoch: number;
  readonly renewal: number;
  readonly ttl_ms: number;
  readonly holder_id: string | null;
  readonly holder_url: string | null;
}

/** A released lease has no address but retains the name, so that others know the last holder. */
export function headOf(row: HeadRow): Head {
  const { holder_id: id, holder_url: url } = row;
  return {
    epoch: row.epoch,
    renewal: row.renewal,
    ttlMs: row.ttl_ms,
    nextPosition: row.next_position,
    holder: id === null || url === null ? undefined : { id, url },
    releasedBy: url === null ? (id ?? undefined) : undefined,
  };
}

export interface LeaseTaking {
  readonly clusterId: string;
  /** The epoch and the renewal of the lease as it was seen. */
  readonly epoch: number;
  readonly renewal: number;
  readonly holder: { readonly id: string; readonly url: string };
  readonly ttlMs: number;
}

export interface LeaseToRenew {
  readonly clusterId: string;
  readonly epoch: number;
}

export interface Chunk {
  readonly firstPosition: number;
  readonly count: number;
  readonly packed: Uint8Array;
}

export interface ChunkHead {
  readonly epoch: number;
  readonly count: number;
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
  readonly region?: string | null;
}
