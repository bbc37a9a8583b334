import { clusterFacts } from '@weir/cluster';
import type { Clock, Log, Series } from '@weir/core';
import { EntriesPruned, type Journal, packEntries } from '@weir/journal';
import type { ClusterNode, ServingRight } from '@weir/metadata';
import { type ObjectStore, StoreError } from '@weir/storage';
import { controlPlaneLimits } from '../limits.ts';
import {
  type BackupSegment,
  type BackupSnapshot,
  chainFrom,
  closedKey,
  fenceKey,
  leaderKey,
  listBackup,
  segmentKey,
  snapshotKey,
  stoppedKey,
  stoppedPrefix,
} from './backup-objects.ts';
import { copySnapshot } from './copy-snapshot.ts';

/** The methods of a node that are needed. */
type BackedUpNode = Pick<
  ClusterNode,
  | 'role'
  | 'onRole'
  | 'record'
  | 'execute'
  | 'describeJournal'
  | 'retire'
  | 'keepFilesForBackup'
  | 'serveOnlyWith'
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

/** A look for a fence is due after this, however long the interval is and however slow the bucket. */
const fenceLookMsMax = 5_500;
/** Looks of a bucket that is fast follow each other by an interval and a little. */
const intervalsPerLook = 1.1;
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
 * A restore begins a new generation by a fence. The leader of the old one finds the fence within seconds, stops serving
 * for good, stores its last entries and says so. A process that begins to lead, or that was paused for longer than its
 * lease, looks for the fence before it acknowledges anything.
 */
export class ClusterBackup implements ServingRight {
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
  /** The term of this process, and the one that the bucket knows of. */
  #epoch: number | undefined;
  #notedEpoch: number | undefined;
  /** When the last look for the fence began. */
  #lookedMs: number;
  #cancelLook = () => {};
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
    options.node.serveOnlyWith(this);
    this.#lookedMs = options.clock.monotonicMs();
    this.#nextLater();
    this.#lookLater();
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
    this.#cancelLook();
    const ended = this.#running.then(() => this.#run());
    this.#running = ended;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(endMsMax, resolve);
      void ended.then(() => {
        cancel();
        resolve();
      });
    });
  }

  async isGranted(signal: AbortSignal, epoch: number): Promise<boolean> {
    const { bucketId } = clusterFacts;
    this.#epoch = epoch;
    try {
      // Before the look: a restore puts its fence and then reads who led, so that one of the two sees the other.
      await this.#noteTerm(signal);
      return !(await this.#isFenced(signal));
    } catch (error) {
      // The first agent makes the bucket, after it has found a leader. Before that no cluster was restored from it.
      const isNew = this.#options.node.record(bucketId.namespace, bucketId.key) === undefined;
      if (isNew && error instanceof StoreError && error.kind === 'bucketMissing') return true;
      const problem = (error as Error).message;
      throw new Error(`the bucket cannot be asked whether the cluster was restored elsewhere: ${problem}`, {
        cause: error,
      });
    }
  }

  /** Stores the last entries, and says that there are no others. It gives up if the bucket does not answer soon. */
  async stopped(term: { readonly epoch: number; readonly position: number }): Promise<void> {
    const { clock, log } = this.#options;
    const attempt = new AbortController();
    const cancel = clock.after(endMsMax, () =>
      attempt.abort(new Error('the bucket does not answer in time')),
    );
    const gaveUp = new Promise<never>((_, reject) => {
      attempt.signal.addEventListener('abort', () => reject(attempt.signal.reason), { once: true });
    });
    const confirmed = this.#running.then(() => this.#confirmStop(term, attempt.signal));
    try {
      await Promise.race([confirmed, gaveUp]);
    } catch (error) {
      confirmed.catch(() => undefined);
      log.warn('failed to confirm in the bucket that its backup is complete', {
        error: (error as Error).message,
      });
    } finally {
      cancel();
      gaveUp.catch(() => undefined);
    }
  }

  async withdraw(execute: BackedUpNode['execute']): Promise<string> {
    await this.#supersede(execute);
    this.#runNow();
    return this.#reason();
  }

  #nextLater(): void {
    this.#cancel();
    if (this.#hasEnded) return;
    this.#cancel = this.#options.clock.after(this.#options.intervalMs, () => {
      this.#running = this.#run().then(() => this.#nextLater());
    });
  }

  #runNow(): void {
    this.#cancel();
    this.#running = this.#running.then(() => this.#run()).then(() => this.#nextLater());
  }

  /** Every interval has a look of its own. These are for intervals that are long, or that a slow bucket prolongs. */
  #lookLater(): void {
    this.#cancelLook = this.#options.clock.after(this.#lookMs / 2, () => {
      void this.#lookIfDue().then(() => {
        if (!this.#hasEnded) this.#lookLater();
      });
    });
  }

  get #lookMs(): number {
    return Math.min(fenceLookMsMax, intervalsPerLook * this.#options.intervalMs);
  }

  /** Never rejects. */
  async #lookIfDue(): Promise<void> {
    const { node, clock, log } = this.#options;
    if (node.role !== 'leader' || this.#closing !== undefined) return;
    if (clock.monotonicMs() - this.#lookedMs < this.#lookMs) return;
    const attempt = new AbortController();
    const cancel = clock.after(this.#lookMs, () => attempt.abort(new Error('the bucket does not answer')));
    try {
      if (!(await this.#isFenced(attempt.signal))) return;
      await this.#beginClosing();
      this.#runNow();
    } catch (error) {
      log.warn('failed to look for a restore in the bucket, retrying', { error: (error as Error).message });
    } finally {
      cancel();
    }
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
      if (this.#closing === undefined && (await this.#isFenced()) && this.#closing === undefined)
        await this.#beginClosing();
      if (this.#closing === undefined) await this.#store();
      else await this.#close(this.#closing);
      this.#completeMs = startMs;
      this.#backedUpMs = startWallMs - appendMsMax;
    } catch (error) {
      metrics.failures.add(1);
      log.warn('failed to back up metadata, retrying', { error: (error as Error).message });
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

  async #isFenced(signal?: AbortSignal): Promise<boolean> {
    const { store, clusterId, clock } = this.#options;
    this.#lookedMs = clock.monotonicMs();
    const key = fenceKey(clusterId, this.#generation() + 1);
    return (await store.head(key, signal && { signal })) !== undefined;
  }

  /**
   * Says in the bucket that this term may acknowledge something, so that the end of an earlier one does not count any
   * more. A bucket that takes no objects, because it is full, has to forget that end instead: a cluster that could not
   * be led could delete nothing either.
   */
  async #noteTerm(signal?: AbortSignal): Promise<void> {
    const { store, clusterId, clock, log } = this.#options;
    const epoch = this.#epoch;
    if (epoch === undefined || epoch === this.#notedEpoch) return;
    const generation = this.#generation();
    const text = `led since ${new Date(clock.nowMs()).toISOString()}\n`;
    try {
      await store.put(leaderKey(clusterId, generation, epoch), [Buffer.from(text)], signal && { signal });
      this.#notedEpoch = epoch;
    } catch (error) {
      if (signal?.aborted || (error instanceof StoreError && error.kind === 'bucketMissing')) throw error;
      log.warn('failed to note the new leader in the bucket, retrying', { error: (error as Error).message });
      for await (const page of store.list(stoppedPrefix(clusterId, generation), signal && { signal }))
        for (const { key } of page) await store.delete(key, signal && { signal });
    }
  }

  async #confirmStop(
    term: { readonly epoch: number; readonly position: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { store, clusterId } = this.#options;
    // A generation that ends has a word of its own for it.
    if (this.#closing !== undefined || this.#isSuperseded()) return;
    await this.#noteTerm(signal);
    const generation = this.#generation();
    this.#stored ??= await this.#find(generation);
    if (this.#lacksBeginning(this.#stored)) return;
    await this.#storeEntries(this.#stored, 'all');
    if (this.#stored.endPosition < term.position || signal.aborted) return;
    await store.put(stoppedKey(clusterId, generation, term), [Buffer.from('stopped\n')], { signal });
  }

  /** Ends this generation: no process of it leads the cluster again. */
  async #beginClosing(): Promise<void> {
    const { node } = this.#options;
    await this.#supersede((command) => node.execute(command));
    await this.#retire();
  }

  async #supersede(execute: BackedUpNode['execute']): Promise<void> {
    const generation = this.#generation();
    const value = Buffer.from(String(generation + 1));
    if (!this.#isSuperseded())
      await execute({ kind: 'putEntries', changes: [{ ...clusterFacts.supersededBy, value }] });
    this.#closing = generation;
    const { log, clusterId } = this.#options;
    log.error('stopped serving cluster: its metadata was restored elsewhere', { clusterId });
  }

  /** Stores the last entries, and says that there will be no others. */
  async #close(generation: number): Promise<void> {
    const { store, clusterId } = this.#options;
    this.#stored ??= await this.#find(generation);
    if (this.#lacksBeginning(this.#stored)) await this.#storeSnapshot(this.#stored, 'alone');
    await this.#storeEntries(this.#stored, 'all');
    await store.put(closedKey(clusterId, generation), [Buffer.from('closed\n')]);
    this.#closing = undefined;
  }

  #retire(): Promise<void> {
    return this.#options.node.retire(this.#reason());
  }

  #reason(): string {
    const { clusterId } = this.#options;
    return `${clusterId} was restored from its bucket into another database; start agents with the control plane of that one`;
  }

  /**
   * Entries first: the snapshot before the newest is useful only together with all entries after it. Unless the journal
   * begins with a snapshot, without which its entries mean nothing.
   */
  async #store(): Promise<void> {
    await this.#noteTerm();
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
    const { snapshots, segments, leaders, stopped } = await listBackup(store, clusterId, generation);
    // What earlier terms said means nothing once the bucket knows of this one.
    const notedEpoch = this.#notedEpoch ?? 0;
    for (const { key, epoch } of [...leaders, ...stopped]) if (epoch < notedEpoch) await store.delete(key);
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
      if (mode !== 'alone' && (this.#closing !== undefined || (await this.#isFenced()))) return false;
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

  /**
   * Copies the entries that the journal has, in segments of limited size. `so far` leaves those that come meanwhile for
   * the next interval: a bucket that is slower than they come would be written to without a pause.
   */
  async #storeEntries(stored: Stored, which: 'so far' | 'all' = 'so far'): Promise<void> {
    const { journal, node } = this.#options;
    const wantedPosition =
      which === 'all' ? Number.POSITIVE_INFINITY : (await node.describeJournal()).position;
    while (stored.endPosition < wantedPosition) {
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
