import { clusterFacts } from '@weir/cluster';
import type { Clock, Log, Series } from '@weir/core';
import { EntriesPruned, type Journal, packEntries } from '@weir/journal';
import type { ClusterNode } from '@weir/metadata';
import type { ObjectStore } from '@weir/storage';
import { controlPlaneLimits } from '../limits.ts';
import {
  type BackupSegment,
  type BackupSnapshot,
  chainFrom,
  closedKey,
  fenceKey,
  listBackup,
  segmentKey,
  snapshotKey,
} from './backup-objects.ts';
import { copySnapshot } from './copy-snapshot.ts';

/** The methods of a node that are needed. */
type BackedUpNode = Pick<
  ClusterNode,
  'role' | 'onRole' | 'record' | 'execute' | 'retire' | 'keepFilesForBackup'
>;

interface ClusterBackupOptions {
  readonly clusterId: string;
  readonly node: BackedUpNode;
  readonly journal: Pick<Journal, 'read' | 'openSnapshot' | 'snapshotPosition'>;
  readonly store: ObjectStore;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: BackupMetrics;
}

export interface BackupMetrics {
  /** How long ago the backup had every entry of the journal. */
  readonly ageSeconds: Series;
  readonly failures: Series;
  readonly bytes: Series;
}

/** What the bucket has of this generation. */
interface Stored {
  readonly generation: number;
  /** The newest ones, by position. */
  snapshots: BackupSnapshot[];
  /** Those of the chain, and any others, by first position. */
  segments: BackupSegment[];
  endPosition: number;
  /** The segment that grows, with its entries. */
  open: { readonly firstPosition: number; readonly entries: Buffer[]; bytes: number } | undefined;
}

/** Entries per read of the journal. */
const entriesPerRead = 1_000;
/** How long a process that stops waits for its last backup. */
const endMsMax = 2_000;
/** Entries are decided at most this long before the journal has them: a leader whose appends take longer has ended. */
const appendMsMax = 15_000;
/** Snapshots that are kept: the newest may turn out to be unreadable. */
const snapshotsKept = 2;

/**
 * Copies the metadata of a cluster into its bucket while this process leads it: new entries of the journal at every
 * interval, and every snapshot that the database has. It reads the journal, not the machine, so a backup contains
 * nothing that could be undone.
 *
 * The leader deletes no file before the backup knows that it is dead: what is restored from it would still refer to
 * the file.
 *
 * A restore begins a new generation by a fence. The leader of the old one finds the fence at its next interval, stops
 * serving for good, stores its last entries and says so.
 */
export class ClusterBackup {
  readonly #options: ClusterBackupOptions;
  #stored: Stored | undefined;
  #completeMs: number;
  /** By the wall clock: the bucket has all entries that were decided before. */
  #backedUpMs = 0;
  #cancel = () => {};
  #running: Promise<void> = Promise.resolve();
  #hasEnded = false;
  /** The generation that ends here, from when its fence was found until the bucket says that it has ended. */
  #closing: number | undefined;
  readonly #stopListening: () => void;

  constructor(options: ClusterBackupOptions) {
    this.#options = options;
    this.#completeMs = options.clock.monotonicMs();
    this.#stopListening = options.node.onRole((role) => {
      // Another process may have led in between.
      this.#stored = undefined;
      this.#backedUpMs = 0;
      if (role === 'leader' && this.#isSuperseded()) void this.#retire();
    });
    options.node.keepFilesForBackup(() => this.#backedUpMs);
    this.#nextLater();
  }

  /** How long ago the bucket had everything that was decided. */
  get ageMs(): number {
    return this.#options.clock.monotonicMs() - this.#completeMs;
  }

  /** Stores what is left, if the bucket answers soon, and ends. */
  async end(): Promise<void> {
    const { clock } = this.#options;
    this.#hasEnded = true;
    this.#stopListening();
    this.#cancel();
    const ended = this.#running.then(() => this.#run());
    await new Promise<void>((resolve) => {
      const cancel = clock.after(endMsMax, resolve);
      void ended.then(() => {
        cancel();
        resolve();
      });
    });
  }

  #nextLater(): void {
    if (this.#hasEnded) return;
    this.#cancel = this.#options.clock.after(this.#options.intervalMs, () => {
      this.#running = this.#run().then(() => this.#nextLater());
    });
  }

  /** One interval. Never rejects. */
  async #run(): Promise<void> {
    const { node, clock, log, metrics } = this.#options;
    if (node.role !== 'leader' && this.#closing === undefined) {
      metrics.ageSeconds.set(0);
      this.#completeMs = clock.monotonicMs();
      return;
    }
    const startMs = clock.monotonicMs();
    const startWallMs = clock.nowMs();
    try {
      if (this.#closing === undefined && (await this.#isFenced())) await this.#beginClosing();
      if (this.#closing === undefined) await this.#store();
      else await this.#close(this.#closing);
      this.#completeMs = startMs;
      this.#backedUpMs = startWallMs - appendMsMax;
    } catch (error) {
      metrics.failures.add(1);
      log.warn('failed to back up metadata, retrying', { problem: (error as Error).message });
      // What of it arrived is unknown.
      this.#stored = undefined;
    }
    metrics.ageSeconds.set(this.ageMs / 1000);
  }

  #generation(): number {
    const { namespace, key } = clusterFacts.generation;
    return Number(this.#options.node.record(namespace, key)?.toString() ?? 0);
  }

  /** Whether a restore began a later generation, as the journal of this one says. */
  #isSuperseded(): boolean {
    const { namespace, key } = clusterFacts.supersededBy;
    return this.#options.node.record(namespace, key) !== undefined;
  }

  async #isFenced(): Promise<boolean> {
    const { store, clusterId } = this.#options;
    return (await store.head(fenceKey(clusterId, this.#generation() + 1))) !== undefined;
  }

  /** Ends this generation: no process of it leads the cluster again. */
  async #beginClosing(): Promise<void> {
    const { node } = this.#options;
    const generation = this.#generation();
    const value = Buffer.from(String(generation + 1));
    await node.execute({ kind: 'putEntries', changes: [{ ...clusterFacts.supersededBy, value }] });
    this.#closing = generation;
    await this.#retire();
  }

  /** Stores the last entries, and says that there will be no others. */
  async #close(generation: number): Promise<void> {
    const { store, clusterId } = this.#options;
    this.#stored ??= await this.#find(generation);
    if (this.#lacksBeginning(this.#stored)) await this.#storeSnapshot(this.#stored, 'alone');
    await this.#storeEntries(this.#stored);
    await store.put(closedKey(clusterId, generation), [Buffer.from('closed\n')]);
    this.#closing = undefined;
  }

  #retire(): Promise<void> {
    const { node, log, clusterId } = this.#options;
    log.error('stopped serving cluster: its metadata was restored elsewhere', { clusterId });
    return node.retire(
      `${clusterId} was restored from its bucket into another database; start agents with the control plane of that one`,
    );
  }

  /**
   * Entries first: the snapshot before the newest is useful only together with all entries after it. Unless the journal
   * begins with a snapshot, without which its entries mean nothing.
   */
  async #store(): Promise<void> {
    this.#stored ??= await this.#find(this.#generation());
    const stored = this.#stored;
    if (this.#lacksBeginning(stored)) await this.#storeSnapshot(stored, 'unless fenced');
    if (this.#lacksBeginning(stored))
      throw new Error('the snapshot of the restored cluster is not copied yet');
    try {
      await this.#storeEntries(stored);
    } catch (error) {
      if (!(error instanceof EntriesPruned)) throw error;
      // The database dropped entries before they were copied. A snapshot replaces them.
      await this.#storeSnapshot(stored, 'unless fenced');
      await this.#storeEntries(stored);
    }
    await this.#storeSnapshot(stored, 'with entries');
  }

  /** Whether the bucket lacks the snapshot with which the journal of a restored cluster or of a clone begins. */
  #lacksBeginning({ generation, snapshots }: Stored): boolean {
    const { namespace, key } = clusterFacts.cloneOf;
    return (
      snapshots.length === 0 && (generation > 0 || this.#options.node.record(namespace, key) !== undefined)
    );
  }

  async #find(generation: number): Promise<Stored> {
    const { store, clusterId } = this.#options;
    const { snapshots, segments } = await listBackup(store, clusterId, generation);
    const { endPosition } = chainFrom(snapshots.at(-1), segments);
    return { generation, snapshots: [...snapshots], segments: [...segments], endPosition, open: undefined };
  }

  /**
   * `with entries` says that the bucket has the entries up to now, so that new ones can follow while this takes long.
   * A generation that ends stores it `alone`, without a look for its fence.
   */
  async #storeSnapshot(stored: Stored, mode: 'with entries' | 'unless fenced' | 'alone'): Promise<void> {
    const { journal, store, clusterId, metrics } = this.#options;
    // A restored journal begins with a snapshot at position 0.
    const newest = stored.snapshots.at(-1)?.position ?? -1;
    if ((await journal.snapshotPosition()) <= newest) return;
    const snapshot = await journal.openSnapshot();
    if (snapshot === undefined || snapshot.position <= newest) return;
    const { position, byteCount } = snapshot;
    const key = snapshotKey(clusterId, stored.generation, position);
    let intervalStartMs = this.#options.clock.monotonicMs();
    const isCopied = await copySnapshot(store, key, snapshot, async () => {
      const nowMs = this.#options.clock.monotonicMs();
      if (nowMs - intervalStartMs < this.#options.intervalMs) return true;
      intervalStartMs = nowMs;
      // The next interval ends the generation.
      if (mode !== 'alone' && (await this.#isFenced())) return false;
      if (mode === 'with entries') await this.#storeEntries(stored);
      return true;
    });
    if (!isCopied) return;
    metrics.bytes.add(byteCount);
    stored.snapshots.push({ key, position });
    if (position > stored.endPosition) {
      stored.endPosition = position;
      stored.open = undefined;
    }
    await this.#prune(stored);
  }

  /** Copies all entries that the journal has, in segments of limited size. */
  async #storeEntries(stored: Stored): Promise<void> {
    const { journal } = this.#options;
    for (;;) {
      const entries = await journal.read(stored.endPosition, entriesPerRead);
      if (entries.length === 0) return;
      stored.open ??= { firstPosition: stored.endPosition, entries: [], bytes: 0 };
      const { open } = stored;
      for (const entry of entries) {
        open.entries.push(entry);
        open.bytes += entry.length;
      }
      await this.#putSegment(stored, open.firstPosition, open.entries);
      if (open.bytes >= controlPlaneLimits.backupSegmentBytesMax) stored.open = undefined;
    }
  }

  async #putSegment(stored: Stored, firstPosition: number, entries: readonly Buffer[]): Promise<void> {
    const { store, clusterId, metrics } = this.#options;
    const endPosition = firstPosition + entries.length;
    const key = segmentKey(clusterId, stored.generation, firstPosition, endPosition);
    const packed = packEntries(entries);
    await store.put(key, [packed]);
    metrics.bytes.add(packed.length);
    stored.endPosition = endPosition;
    const shorter = stored.segments.filter((segment) => segment.firstPosition === firstPosition);
    stored.segments = stored.segments.filter((segment) => segment.firstPosition !== firstPosition);
    stored.segments.push({ key, firstPosition, endPosition });
    for (const { key } of shorter) await store.delete(key);
  }

  /** Deletes what the snapshots that are kept replace. */
  async #prune(stored: Stored): Promise<void> {
    const { store } = this.#options;
    const kept = stored.snapshots.slice(-snapshotsKept);
    if (kept.length < snapshotsKept) return;
    const from = kept[0]!.position;
    const unneeded = [
      ...stored.snapshots.filter(({ position }) => position < from),
      ...stored.segments.filter(({ endPosition }) => endPosition <= from),
    ];
    for (const { key } of unneeded) await store.delete(key);
    stored.snapshots = kept;
    stored.segments = stored.segments.filter(({ endPosition }) => endPosition > from);
  }
}
