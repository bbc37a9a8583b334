import type { FileContent } from '@weir/cluster';
import { type Clock, type Log, Outage } from '@weir/core';
import {
  DiskFull,
  Fenced,
  type Journal,
  type JournalHead,
  type JournalHub,
  type LeaseAnswer,
  type LeaseHolder,
  type Member,
  type OpenSnapshot,
  type SegmentMark,
  type StoredSnapshot,
} from './journal.ts';
import { journalLimits } from './limits.ts';
import {
  decodeRecord,
  encodeRecord,
  entriesOf,
  type SegmentRecord,
  segmentRecord,
} from './segment-record.ts';
import { diskFullMs } from './sqlite-tables.ts';

/** A log in segments of a bucket on disk, which this process has for itself: `SegmentLog` of the storage package. */
export interface RecordLog {
  readonly id: string;
  readonly hasFiles: boolean;
  readonly lastSequence: number;
  records(): AsyncIterable<{ readonly sequence: number; readonly record: Buffer }>;
  /** When it resolves, the log is found by its id after a crash. */
  begin(): Promise<void>;
  /** Durable when it resolves, with the sequence number of the frame; nothing is stored if it fails. */
  append(record: Uint8Array, files: readonly FileContent[]): Promise<number>;
  /** Records up to this one are stored elsewhere. */
  release(sequence: number): void;
}

interface SegmentedDeps {
  readonly clock: Clock;
  readonly log: Log;
}

/** The segments do not have what the database needs of them, in one line. */
export class SegmentsUnusable extends Error {
  override readonly name = 'SegmentsUnusable';
}

/** How long entries are only in segments. The database then gets them in one transaction. */
export const checkpointMs = 1_000;

/** Entries in segments that the database does not have yet. */
interface Unstored extends SegmentRecord {
  readonly sequence: number;
}

/** The end of the journal of one cluster, which hubs over the same segments share. */
class JournalTail {
  /** The epoch that may append; 0 if no process of ours has the lease. */
  epoch = 0;
  nextPosition = 0;
  readonly unstored: Unstored[] = [];
  unstoredBytes = 0;
  lastAppend: SegmentRecord | undefined;
  /** The journal of the database, of the hub that last took the lease. */
  inner: Journal;
  readonly listeners = new Set<() => void>();
  storing: Promise<void> = Promise.resolve();
  #busy: Promise<unknown> = Promise.resolve();

  constructor(inner: Journal) {
    this.inner = inner;
  }

  /** Appends and changes of the lease happen one after the other. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#busy.then(work);
    this.#busy = result.catch(() => undefined);
    return result;
  }

  ring(): void {
    for (const onNews of this.listeners) onNews();
  }
}

/**
 * Journals whose entries go into a log of segments first, together with the log files that they commit, and into the
 * database about once a second. So a commit is one write that waits for the disk once, in the thread pool, and the
 * database costs little.
 *
 * One process has both, so that what it remembers of a journal is true: the epoch that may append, the next position,
 * and the entries that the database does not have yet. Before the lease changes hands and before a snapshot the
 * database gets them all. A mark in the database says that they may be missing there (`SegmentMark`); `recover` brings
 * them there after a crash.
 */
export class SegmentedJournals {
  readonly #records: RecordLog;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #tails = new Map<string, JournalTail>();
  /** For each append under way, the frame before it. */
  readonly #pending = new Set<{ readonly after: number }>();
  readonly #outage: Outage;
  /** The database, as it was opened last. */
  #hub: JournalHub | undefined;
  #cancelCheckpoint: (() => void) | undefined;
  #fullMs = Number.NEGATIVE_INFINITY;
  #isReady = false;
  #isEnding = false;

  constructor(records: RecordLog, { clock, log }: SegmentedDeps) {
    this.#records = records;
    this.#clock = clock;
    this.#log = log;
    this.#outage = new Outage(clock);
  }

  over(hub: JournalHub): JournalHub {
    this.#hub = hub;
    return new SegmentedHub(this, hub);
  }

  /** Stores the entries of a process that crashed in the database. Must end before anything else is asked of it. */
  async recover(): Promise<void> {
    const hub = this.#hub!;
    const mark = await hub.segmentMark();
    if (mark?.hasEntries === true) {
      if (mark.logId !== this.#records.id)
        throw new SegmentsUnusable(
          'the last entries are in segments that its bucket does not have; start it with the bucket of its last run',
        );
      await this.#replay(hub);
    }
    this.#records.release(this.#records.lastSequence);
  }

  async #replay(hub: Pick<JournalHub, 'journal'>): Promise<void> {
    const heads = new Map<string, JournalHead>();
    for await (const { record } of this.#records.records()) {
      const found = decodeRecord(record);
      const { clusterId, epoch, firstPosition, count } = found;
      const journal = hub.journal(clusterId);
      const head = heads.get(clusterId) ?? (await journal.head());
      heads.set(clusterId, head);
      // Entries of earlier epochs are in the database, and a cluster without an epoch was removed.
      if (epoch < head.epoch || head.epoch === 0 || firstPosition + count <= head.nextPosition) continue;
      if (epoch > head.epoch || firstPosition > head.nextPosition)
        throw new SegmentsUnusable(
          'the database is older than the segments of its bucket; restore both together',
        );
      await journal.append(
        epoch,
        head.nextPosition,
        entriesOf(found).slice(head.nextPosition - firstPosition),
      );
      heads.set(clusterId, { epoch, nextPosition: firstPosition + count });
    }
  }

  /** From here on appends go into segments. The bucket must exist. */
  async begin(): Promise<void> {
    if (this.isReady) return;
    // The segments first: a mark that names a log which the bucket does not have would end the next start.
    await this.#records.begin();
    await this.#hub!.setSegmentMark({ logId: this.#records.id, hasEntries: true });
    this.#isReady = true;
  }

  /** The database gets all entries; without files in segments it no longer needs them. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#cancelCheckpoint?.();
    for (const tail of this.#tails.values()) await this.store(tail);
    const { hasFiles, id: logId } = this.#records;
    if (this.isReady) await this.#hub!.setSegmentMark(hasFiles ? { logId, hasEntries: false } : undefined);
  }

  tailOf(clusterId: string, inner: Journal): JournalTail {
    let tail = this.#tails.get(clusterId);
    if (tail === undefined) {
      tail = new JournalTail(inner);
      this.#tails.set(clusterId, tail);
    }
    return tail;
  }

  async forget(clusterId: string): Promise<void> {
    const tail = this.#tails.get(clusterId);
    await tail?.alone(async () => {
      tail.epoch = 0;
      await tail.storing.catch(() => undefined);
      tail.unstored.length = 0;
      tail.unstoredBytes = 0;
      this.#tails.delete(clusterId);
      this.#release();
    });
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  isDiskFull(): boolean {
    return this.#clock.monotonicMs() - this.#fullMs < diskFullMs;
  }

  async append(tail: JournalTail, record: SegmentRecord, contents: readonly FileContent[]): Promise<void> {
    if (tail.unstoredBytes > journalLimits.segmentedEntryBytesMax)
      throw new Error('journal: the database does not take the entries that are in segments');
    const pending = { after: this.#records.lastSequence };
    this.#pending.add(pending);
    try {
      const sequence = await this.#records.append(encodeRecord(record), contents);
      tail.unstored.push({ ...record, sequence });
      tail.unstoredBytes += record.packed.length;
    } catch (error) {
      if ((error as { readonly kind?: unknown }).kind !== 'full') throw error;
      this.#fullMs = this.#clock.monotonicMs();
      throw new DiskFull(`journal: ${(error as Error).message}`, { cause: error });
    } finally {
      this.#pending.delete(pending);
    }
    if (tail.unstoredBytes > journalLimits.segmentedEntryBytes) this.#checkpointSoon(0);
    else this.#checkpointSoon(checkpointMs);
  }

  #checkpointSoon(delayMs: number): void {
    if (this.#isEnding) return;
    if (this.#cancelCheckpoint !== undefined) {
      if (delayMs > 0) return;
      this.#cancelCheckpoint();
    }
    this.#cancelCheckpoint = this.#clock.after(delayMs, () => void this.#checkpoint());
  }

  async #checkpoint(): Promise<void> {
    try {
      for (const tail of this.#tails.values()) await this.store(tail);
      const outage = this.#outage.ended();
      if (outage !== undefined) this.#log.info('resumed storing entries of segments in the database', outage);
    } catch (error) {
      const fields = this.#outage.failed(error);
      if (fields !== undefined)
        this.#log.warn('failed to store entries of segments in the database, retrying', fields);
    }
    this.#cancelCheckpoint = undefined;
    if ([...this.#tails.values()].some(({ unstored }) => unstored.length > 0))
      this.#checkpointSoon(checkpointMs);
  }

  /** Resolves when the database has all entries before a position, by default those that were appended so far. */
  store(tail: JournalTail, position = tail.nextPosition): Promise<void> {
    tail.storing = tail.storing.catch(() => undefined).then(() => this.#storeUpTo(tail, position));
    tail.storing.catch(() => undefined);
    return tail.storing;
  }

  async #storeUpTo(tail: JournalTail, position: number): Promise<void> {
    while (tail.unstored.length > 0 && tail.unstored[0]!.firstPosition < position) {
      const [first] = tail.unstored;
      const entries: Buffer[] = [];
      let [taken, bytes] = [0, 0];
      for (const record of tail.unstored) {
        bytes += record.packed.length;
        const isOwn = record.epoch === first!.epoch && record.firstPosition + record.count <= position;
        if (taken > 0 && (!isOwn || bytes > journalLimits.journalAppendBytesMax)) break;
        for (const entry of entriesOf(record)) entries.push(entry);
        taken++;
      }
      await tail.inner.append(first!.epoch, first!.firstPosition, entries);
      for (const { packed } of tail.unstored.splice(0, taken)) tail.unstoredBytes -= packed.length;
    }
    this.#release();
  }

  /** Frames whose entries no journal needs any more. */
  #release(): void {
    let last = this.#records.lastSequence;
    for (const { after } of this.#pending) last = Math.min(last, after);
    for (const { unstored } of this.#tails.values()) {
      const sequence = unstored[0]?.sequence;
      if (sequence !== undefined) last = Math.min(last, sequence - 1);
    }
    this.#records.release(last);
  }
}

/** Leases, members and snapshots stay in the database. */
class SegmentedHub implements JournalHub {
  readonly #segments: SegmentedJournals;
  readonly #hub: JournalHub;

  constructor(segments: SegmentedJournals, hub: JournalHub) {
    this.#segments = segments;
    this.#hub = hub;
  }

  journal(clusterId: string): Journal {
    return new SegmentedJournal(this.#segments, clusterId, this.#hub.journal(clusterId));
  }

  processId(): string | undefined {
    return this.#hub.processId();
  }

  announce(member: Member): Promise<void> {
    return this.#hub.announce(member);
  }

  withdraw(memberId: string): Promise<void> {
    return this.#hub.withdraw(memberId);
  }

  members(): Promise<Member[]> {
    return this.#hub.members();
  }

  isEmpty(): Promise<boolean> {
    return this.#hub.isEmpty();
  }

  async forget(clusterId: string): Promise<void> {
    await this.#segments.forget(clusterId);
    await this.#hub.forget(clusterId);
  }

  check(): Promise<void> {
    return this.#hub.check();
  }

  segmentMark(): Promise<SegmentMark | undefined> {
    return this.#hub.segmentMark();
  }

  setSegmentMark(mark: SegmentMark | undefined): Promise<void> {
    return this.#hub.setSegmentMark(mark);
  }

  isDiskFull(): boolean {
    return this.#segments.isDiskFull() || this.#hub.isDiskFull();
  }

  close(): Promise<void> {
    return this.#hub.close();
  }
}

class SegmentedJournal implements Journal {
  readonly #segments: SegmentedJournals;
  readonly #clusterId: string;
  readonly #inner: Journal;

  constructor(segments: SegmentedJournals, clusterId: string, inner: Journal) {
    this.#segments = segments;
    this.#clusterId = clusterId;
    this.#inner = inner;
  }

  get #tail(): JournalTail {
    return this.#segments.tailOf(this.#clusterId, this.#inner);
  }

  append(
    epoch: number,
    firstPosition: number,
    entries: readonly Buffer[],
    contents: readonly FileContent[] = [],
  ): Promise<void> {
    const tail = this.#tail;
    return tail.alone(async () => {
      if (entries.length === 0) return;
      if (!this.#segments.isReady) {
        await this.#inner.append(epoch, firstPosition, entries, contents);
        if (tail.epoch === epoch)
          tail.nextPosition = Math.max(tail.nextPosition, firstPosition + entries.length);
        return;
      }
      if (tail.epoch !== epoch) throw new Fenced(`epoch ${epoch} is over, the journal is at ${tail.epoch}`);
      const { lastAppend, nextPosition } = tail;
      if (firstPosition !== nextPosition) {
        // Its answer was lost.
        if (lastAppend?.firstPosition === firstPosition && lastAppend.count === entries.length) return;
        throw new Fenced(`position ${firstPosition} is not the next of the journal, ${nextPosition} is`);
      }
      const record = segmentRecord(this.#clusterId, epoch, firstPosition, entries);
      await this.#segments.append(tail, record, contents);
      tail.lastAppend = record;
      tail.nextPosition += entries.length;
      tail.ring();
    });
  }

  async head(): Promise<JournalHead> {
    const { epoch, nextPosition } = await this.#inner.head();
    return { epoch, nextPosition: Math.max(nextPosition, this.#tail.nextPosition) };
  }

  async read(fromPosition: number, limit: number): Promise<Buffer[]> {
    const unstored = this.#readUnstored(fromPosition, limit);
    if (unstored !== undefined) return unstored;
    const entries = await this.#inner.read(fromPosition, limit);
    const endPosition = fromPosition + entries.length;
    if (entries.length >= limit || endPosition >= this.#tail.nextPosition) return entries;
    // The database may have got more meanwhile, which is for the next read unless there was nothing yet.
    const later = this.#readUnstored(endPosition, limit - entries.length);
    if (later === undefined && entries.length === 0) return await this.#inner.read(fromPosition, limit);
    return later === undefined ? entries : [...entries, ...later];
  }

  /** Entries that the database need not have; `undefined` if it has the first. */
  #readUnstored(fromPosition: number, limit: number): Buffer[] | undefined {
    const { unstored } = this.#tail;
    if (unstored.length === 0 || fromPosition < unstored[0]!.firstPosition) return undefined;
    const entries: Buffer[] = [];
    let bytes = 0;
    for (const record of unstored) {
      const { firstPosition, count, packed } = record;
      if (firstPosition + count <= fromPosition) continue;
      bytes += packed.length;
      if (entries.length > 0 && bytes > journalLimits.journalReadBytesMax) break;
      entries.push(...entriesOf(record).slice(Math.max(0, fromPosition - firstPosition)));
      if (entries.length >= limit) break;
    }
    return entries.slice(0, limit);
  }

  async saveSnapshot(
    position: number,
    slices: Iterable<Buffer>,
    options?: { readonly isAlone?: boolean },
  ): Promise<number> {
    // Apart from later ones: the database drops entries as it got them.
    await this.#segments.store(this.#tail, position);
    return await this.#inner.saveSnapshot(position, slices, options);
  }

  loadSnapshot(positionMax?: number): Promise<StoredSnapshot | undefined> {
    return this.#inner.loadSnapshot(positionMax);
  }

  openSnapshot(positionMax?: number): Promise<OpenSnapshot | undefined> {
    return this.#inner.openSnapshot(positionMax);
  }

  snapshotPosition(): Promise<number> {
    return this.#inner.snapshotPosition();
  }

  acquireLease(
    holder: LeaseHolder,
    ttlMs: number,
    graceMs?: (lastHolderId: string | undefined) => number,
  ): Promise<LeaseAnswer> {
    const tail = this.#tail;
    return tail.alone(async () => {
      await this.#segments.store(tail);
      const answer = await this.#inner.acquireLease(holder, ttlMs, graceMs);
      if (answer.epoch === undefined) return answer;
      tail.inner = this.#inner;
      tail.epoch = answer.epoch;
      tail.nextPosition = answer.nextPosition;
      tail.lastAppend = undefined;
      return answer;
    });
  }

  renewLease(epoch: number): Promise<void> {
    return this.#inner.renewLease(epoch);
  }

  releaseLease(epoch: number): Promise<void> {
    const tail = this.#tail;
    return tail.alone(async () => {
      await this.#segments.store(tail);
      await this.#inner.releaseLease(epoch);
      if (tail.epoch === epoch) tail.epoch = 0;
    });
  }

  leaveNote(epoch: number, note: Buffer): Promise<void> {
    return this.#inner.leaveNote(epoch, note);
  }

  readNote(): Promise<Buffer | undefined> {
    return this.#inner.readNote();
  }

  watch(onNews: () => void): () => void {
    const { listeners } = this.#tail;
    listeners.add(onNews);
    const stop = this.#inner.watch(onNews);
    return () => {
      listeners.delete(onNews);
      stop();
    };
  }
}
