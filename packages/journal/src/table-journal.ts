import type { FileContent } from '@weir/cluster';
import type { Clock } from '@weir/core';
import {
  EntriesPruned,
  Fenced,
  type Journal,
  type JournalHead,
  type JournalHub,
  type LeaseAnswer,
  type LeaseHolder,
  type Member,
  memberSilenceMsMax,
  type OpenSnapshot,
  type SegmentMark,
  type StoredSnapshot,
} from './journal.ts';
import { LeaseCalls } from './lease-calls.ts';
import { LeaseWatch } from './lease-watch.ts';
import { journalLimits } from './limits.ts';
import { packEntries, unpackEntries } from './packed-entries.ts';
import type { Chunk, JournalTables, SnapshotRow } from './tables.ts';

/** The size of the pieces of a snapshot; appends of every cluster get through between two of them. */
const sliceBytes = 1024 * 1024;

/** The journals of one database, independent of the driver. */
export class TableHub implements JournalHub {
  readonly #tables: JournalTables;
  readonly #clock: Clock;
  readonly #leaseCalls: LeaseCalls;
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #membersSeen = new Map<string, { beat: number; sinceMs: number }>();

  constructor(tables: JournalTables, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
    this.#leaseCalls = new LeaseCalls(tables, clock);
    tables.listen((clusterId) => {
      if (clusterId !== undefined) this.#ring(clusterId);
      else for (const known of this.#listeners.keys()) this.#ring(known);
    });
  }

  journal(clusterId: string): Journal {
    return new TableJournal(this.#tables, this.#leaseCalls, this.#clock, clusterId, {
      notify: () => {
        this.#ring(clusterId);
        this.#tables.notify(clusterId);
      },
      watch: (onNews) => this.#watch(clusterId, onNews),
    });
  }

  segmentMark(): Promise<SegmentMark | undefined> {
    return this.#tables.segmentMark();
  }

  setSegmentMark(mark: SegmentMark | undefined): Promise<void> {
    return this.#tables.setSegmentMark(mark);
  }

  isDiskFull(): boolean {
    return this.#tables.isDiskFull?.() ?? false;
  }

  processId(): string | undefined {
    return this.#tables.processId?.();
  }

  announce({ id, url, region }: Member): Promise<void> {
    return this.#tables.beat(id, url, region);
  }

  withdraw(memberId: string): Promise<void> {
    return this.#tables.removeMember(memberId, null);
  }

  async members(): Promise<Member[]> {
    const rows = await this.#tables.beats();
    const nowMs = this.#clock.monotonicMs();
    const living: Member[] = [];
    for (const { id, url, beat, region } of rows) {
      let seen = this.#membersSeen.get(id);
      if (seen?.beat !== beat) {
        seen = { beat, sinceMs: nowMs };
        this.#membersSeen.set(id, seen);
      }
      if (nowMs - seen.sinceMs < memberSilenceMsMax)
        living.push({ id, url, ...(region == null ? {} : { region }) });
      else await this.#tables.removeMember(id, beat);
    }
    for (const id of this.#membersSeen.keys()) {
      if (!rows.some((row) => row.id === id)) this.#membersSeen.delete(id);
    }
    return living;
  }

  async isEmpty(): Promise<boolean> {
    return !(await this.#tables.hasClusters());
  }

  async forget(clusterId: string): Promise<void> {
    const everything = Number.MAX_SAFE_INTEGER;
    // The head first, so that nothing is appended after what is removed.
    await this.#tables.removeCluster(clusterId);
    while (await this.#tables.prune(clusterId, everything, 0, everything));
  }

  async check(): Promise<void> {
    await this.#tables.check?.();
  }

  close(): Promise<void> {
    this.#listeners.clear();
    return this.#tables.close();
  }

  #watch(clusterId: string, onNews: () => void): () => void {
    const listeners = this.#listeners.get(clusterId) ?? new Set();
    this.#listeners.set(clusterId, listeners);
    listeners.add(onNews);
    return () => {
      listeners.delete(onNews);
      if (listeners.size === 0 && this.#listeners.get(clusterId) === listeners)
        this.#listeners.delete(clusterId);
    };
  }

  #ring(clusterId: string): void {
    for (const onNews of this.#listeners.get(clusterId) ?? []) onNews();
  }
}

interface News {
  notify(): void;
  watch(onNews: () => void): () => void;
}

class TableJournal implements Journal {
  readonly #tables: JournalTables;
  readonly #leaseCalls: LeaseCalls;
  readonly #clock: Clock;
  readonly #clusterId: string;
  readonly #news: News;
  readonly #lease = new LeaseWatch();

  constructor(tables: JournalTables, leaseCalls: LeaseCalls, clock: Clock, clusterId: string, news: News) {
    this.#tables = tables;
    this.#leaseCalls = leaseCalls;
    this.#clock = clock;
    this.#clusterId = clusterId;
    this.#news = news;
  }

  async append(
    epoch: number,
    firstPosition: number,
    entries: readonly Buffer[],
    contents: readonly FileContent[] = [],
  ): Promise<void> {
    if (contents.length > 0) throw new Error('a journal without segments stores no files');
    if (entries.length === 0) return;
    const packed = packEntries(entries);
    if (await this.#tables.append(this.#clusterId, epoch, firstPosition, entries.length, packed)) {
      this.#news.notify();
      return;
    }
    const { epoch: newest, nextPosition } = await this.#leaseCalls.head(this.#clusterId);
    if (newest !== epoch) throw new Fenced(`epoch ${epoch} is over, the journal is at ${newest}`);
    // An epoch has one writer with one append at a time. So a chunk here with its epoch is this very append.
    const stored = await this.#tables.chunkAt(this.#clusterId, firstPosition);
    if (stored?.epoch === epoch && stored.count === entries.length) return;
    throw new Fenced(`position ${firstPosition} is not the next of the journal, ${nextPosition} is`);
  }

  async head(): Promise<JournalHead> {
    const { epoch, nextPosition } = await this.#leaseCalls.head(this.#clusterId);
    return { epoch, nextPosition };
  }

  async read(fromPosition: number, limit: number): Promise<Buffer[]> {
    const entries: Buffer[] = [];
    let next = fromPosition;
    for (const { firstPosition, count, packed } of await this.#chunks(fromPosition)) {
      entries.push(...unpackEntries(packed, count).slice(next - firstPosition));
      next = firstPosition + count;
      if (entries.length >= limit) break;
    }
    return entries.slice(0, limit);
  }

  async #chunks(fromPosition: number): Promise<Chunk[]> {
    const bytesMax = journalLimits.journalReadBytesMax;
    const chunks = await this.#tables.chunks(this.#clusterId, fromPosition, bytesMax);
    if (holds(chunks, fromPosition)) return chunks;
    // The head is read before the second attempt, so an entry that is missing then was pruned, and not just appended.
    const { nextPosition } = await this.#leaseCalls.head(this.#clusterId);
    if (fromPosition >= nextPosition) return [];
    const again = await this.#tables.chunks(this.#clusterId, fromPosition, bytesMax);
    if (holds(again, fromPosition)) return again;
    throw new EntriesPruned(`the journal no longer has entry ${fromPosition}`);
  }

  async saveSnapshot(
    position: number,
    slices: Iterable<Buffer>,
    { isAlone = false }: { readonly isAlone?: boolean } = {},
  ): Promise<number> {
    const id = await this.#tables.beginSnapshot(this.#clusterId, position);
    let count = 0;
    let bytes = 0;
    for (const piece of piecesOf(slices)) {
      bytes += piece.length;
      const add = () => this.#tables.addSlice(id, count++, piece);
      await (isAlone ? add() : this.#inSlices(add));
    }
    await this.#tables.finishSnapshot(id, count, bytes);
    await this.#prune();
    return bytes;
  }

  async #prune(): Promise<void> {
    const [newest, older] = await this.#tables.snapshots(this.#clusterId);
    if (newest === undefined) return;
    const retainedFrom = older?.position ?? 0;
    // Snapshots that are older than the newest and neither retained nor finished are left by a process that died during
    // a save.
    const retainedId = older?.id ?? newest.id;
    const prune = () => this.#tables.prune(this.#clusterId, newest.id, retainedId, retainedFrom);
    while (await this.#inSlices(prune));
  }

  /**
   * Leaves the database to others for as long as this work took. A snapshot is never urgent, and an append always is.
   */
  async #inSlices<Result>(work: () => Promise<Result>): Promise<Result> {
    const startMs = this.#clock.monotonicMs();
    const result = await work();
    const tookMs = this.#clock.monotonicMs() - startMs;
    if (tookMs > 0) await new Promise<void>((resolve) => this.#clock.after(tookMs, resolve));
    return result;
  }

  async loadSnapshot(positionMax?: number): Promise<StoredSnapshot | undefined> {
    const opened = await this.openSnapshot(positionMax);
    if (opened === undefined) return undefined;
    const bytes = Buffer.allocUnsafeSlow(opened.byteCount);
    let at = 0;
    for await (const slice of opened.slices) {
      bytes.set(slice, at);
      at += slice.length;
    }
    return { position: opened.position, bytes };
  }

  async openSnapshot(positionMax = Number.POSITIVE_INFINITY): Promise<OpenSnapshot | undefined> {
    const rows = await this.#tables.snapshots(this.#clusterId);
    const row = rows.find(({ position }) => position <= positionMax);
    if (row === undefined) return undefined;
    return { position: row.position, byteCount: row.bytes, slices: this.#slicesOf(row) };
  }

  async *#slicesOf({ id, sliceCount, bytes }: SnapshotRow): AsyncGenerator<Uint8Array> {
    let at = 0;
    for (let index = 0; index < sliceCount; index++) {
      const slice = await this.#tables.slice(id, index);
      at += slice.length;
      if (slice.length > 0 && at <= bytes) yield slice;
    }
    // Those of a snapshot that was pruned are empty.
    if (at !== bytes) throw new Error(`snapshot ${id} has ${at} bytes, not ${bytes}`);
  }

  async snapshotPosition(): Promise<number> {
    return (await this.#tables.snapshots(this.#clusterId))[0]?.position ?? 0;
  }

  async acquireLease(
    holder: LeaseHolder,
    ttlMs: number,
    graceMs: (lastHolderId: string | undefined) => number = () => 0,
  ): Promise<LeaseAnswer> {
    const head = await this.#leaseCalls.head(this.#clusterId);
    const { epoch, renewal, nextPosition, holder: heldBy } = head;
    const nowMs = this.#clock.monotonicMs();
    let retryInMs = heldBy?.id === holder.id ? 0 : this.#lease.remainingMs(head, nowMs);
    if (retryInMs > 0 && head.isHolderGone()) retryInMs = 0;
    if (retryInMs === 0 && heldBy?.id !== holder.id)
      retryInMs = this.#lease.graceLeftMs(head, graceMs(heldBy?.id ?? head.releasedBy), nowMs);
    if (retryInMs === 0) {
      const taking = { clusterId: this.#clusterId, epoch, renewal, holder, ttlMs };
      if (await this.#tables.takeLease(taking)) return { epoch: epoch + 1, nextPosition };
    }
    // A failed swap lost against a faster process, whose name the next call returns.
    return { heldBy: heldBy ?? { id: '', url: '' }, retryInMs, renewal, nextPosition };
  }

  async renewLease(epoch: number): Promise<void> {
    if (!(await this.#leaseCalls.renew({ clusterId: this.#clusterId, epoch })))
      throw new Fenced(`epoch ${epoch} is over`);
  }

  async releaseLease(epoch: number): Promise<void> {
    await this.#tables.releaseLease(this.#clusterId, epoch);
    this.#news.notify();
  }

  leaveNote(epoch: number, note: Buffer): Promise<void> {
    return this.#tables.putNote(this.#clusterId, epoch, ownCopy(note));
  }

  async readNote(): Promise<Buffer | undefined> {
    const note = await this.#tables.note(this.#clusterId);
    return note === undefined ? undefined : Buffer.from(note.buffer, note.byteOffset, note.byteLength);
  }

  watch(onNews: () => void): () => void {
    return this.#news.watch(onNews);
  }
}

function holds([first]: readonly Chunk[], position: number): boolean {
  return first !== undefined && first.firstPosition <= position;
}

/** Copies, so that the memory can be transferred to another thread while the caller retains its own. */
function ownCopy(bytes: Uint8Array): Buffer<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Yields pieces in exclusive memory. A slice that is small enough and alone in its memory is used as it is. */
function* piecesOf(slices: Iterable<Buffer>): Generator<Buffer<ArrayBuffer>> {
  for (const slice of slices) {
    if (slice.length <= sliceBytes && slice.length === slice.buffer.byteLength) {
      yield slice as Buffer<ArrayBuffer>;
      continue;
    }
    for (let at = 0; at < slice.length; at += sliceBytes) yield ownCopy(slice.subarray(at, at + sliceBytes));
  }
}
