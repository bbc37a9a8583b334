import { randomBytes } from 'node:crypto';
import { mkdir, readdir, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Clock, Log } from '@weir/core';
import { codeOf, fileStoreError } from '../file/file-errors.ts';
import { segmentsFolder } from '../file/list-files.ts';
import { readFileRange } from '../file/read-file-range.ts';
import { SyncedDirectories } from '../file/synced-file.ts';
import { storageLimits } from '../limits.ts';
import { contentBytes, joinSmallSlices } from '../store/content.ts';
import type { ObjectStore } from '../store/object-store.ts';
import {
  blockBytes,
  encodeFrame,
  encodeSegmentHeader,
  generationBytes,
  inBlocks,
  logIdBytes,
  type SegmentHeader,
} from './frame.ts';
import { recoverSegments } from './recover-segments.ts';
import { readRecord, type ScannedFrame } from './scan-segment.ts';
import { emptyBlock, SegmentFile } from './segment-file.ts';
import { placedFiles } from './segment-index.ts';
import {
  type ReadOptions,
  type SegmentLocation,
  type SegmentObjects,
  segmentNamePattern,
} from './segment-objects.ts';
import { SpareSegments } from './spare-segments.ts';

interface SegmentLogDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** The size of a segment, but for one with a single larger frame. */
  readonly segmentBytes?: number;
  /** Segments whose files are gone and that are kept to be written again, which costs less than a new one. */
  readonly freeSegmentsMax?: number;
  /** What segments may take beyond twice what is needed of them. */
  readonly sparseBytesMax?: number;
}

/** A log file on its way into a segment. */
export interface FileContent {
  readonly key: string;
  /** Must not be changed before the append settles. */
  readonly slices: readonly Uint8Array[];
}

interface Segment {
  readonly path: string;
  readonly header: SegmentHeader;
  /** Where the next frame begins. */
  end: number;
  lastSequence: number;
  /** The files that are neither deleted nor elsewhere. */
  readonly files: Set<string>;
  fileBytes: number;
  /** Files of this segment that are deleted, and deletions that frames of this segment carry. */
  readonly deleted: Set<string>;
  readonly deletions: Set<string>;
}

/** The segment that is written, and whether a write failed, which may have left something behind its end. */
interface Current {
  readonly segment: Segment;
  readonly file: SegmentFile;
  isTainted: boolean;
}

interface Located extends SegmentLocation {
  readonly segment: Segment;
}

/**
 * A log of frames in segments of a bucket on disk, for the one process that has the bucket: each frame is a record of
 * the journal and the log files that it commits, in one write that waits for the disk once.
 *
 * A segment is free again when its files are deleted and its records are elsewhere (`release`); then it is overwritten.
 * Log files are found by their keys, like objects (`with-segments.ts`). Merges copy them into ordinary objects; files
 * that are left in segments of which little is needed are copied here (`tidy`).
 *
 * Deletions are carried by the next frame. If the process dies before, the file is there again, and the scan for dead
 * files finds it.
 */
export class SegmentLog implements SegmentObjects {
  readonly bucketPath: string;
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #segmentBytes: number;
  readonly #freeMax: number;
  readonly #sparseMax: number;
  readonly #directories = new SyncedDirectories(1);
  readonly #spares: SpareSegments;
  readonly #segments = new Set<Segment>();
  readonly #files = new Map<string, Located>();
  /** Deleted files whose segment still has them, by key; and those of them that no frame says. */
  readonly #deletedIn = new Map<string, Segment>();
  readonly #unsaid = new Set<string>();
  readonly #free: string[] = [];
  #found: { readonly path: string; readonly frame: ScannedFrame }[] = [];
  #current: Current | undefined;
  #logId: string;
  #nextName = 1;
  #lastNumber = 0;
  #lastSequence = 0;
  #released = 0;
  /** The file that is being copied out, and whether it was deleted meanwhile. */
  #copied: { readonly key: string; isDeleted: boolean } | undefined;
  #isReady = false;
  #isClosed = false;
  /** Appends that have not ended. */
  #appending = 0;
  /** Appends and what changes segments happen one after the other. */
  #busy: Promise<unknown> = Promise.resolve();

  private constructor(bucketPath: string, deps: SegmentLogDeps) {
    this.bucketPath = resolve(bucketPath);
    this.#folder = join(bucketPath, segmentsFolder);
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#segmentBytes = deps.segmentBytes ?? storageLimits.segmentBytes;
    this.#sparseMax = deps.sparseBytesMax ?? storageLimits.sparseSegmentsBytesMax;
    this.#freeMax = deps.freeSegmentsMax ?? storageLimits.freeSegmentsMax;
    this.#logId = randomBytes(logIdBytes).toString('hex');
    this.#spares = new SpareSegments({
      clock: deps.clock,
      log: deps.log,
      folder: this.#folder,
      segmentBytes: this.#segmentBytes,
      mustWait: (share) => this.#appending > 0 && share > this.#currentShare,
      newPath: () => this.#newPath(),
      syncNames: () => this.#directories.sync(this.#folder),
      onReady: (path) => this.#free.push(path),
    });
  }

  /**
   * Finds what an earlier process left, if the bucket has segments. Fails with `SegmentDamaged` if anything but the
   * last frame is damaged; that one may be torn, and then nothing of it was acknowledged.
   */
  static async open(bucketPath: string, deps: SegmentLogDeps): Promise<SegmentLog> {
    const log = new SegmentLog(bucketPath, deps);
    const names = await readdir(log.#folder).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
      throw fileStoreError(log.#folder, error);
    });
    const paths = names
      .filter((name) => segmentNamePattern.test(name))
      .map((name) => join(log.#folder, name));
    await log.#recover(paths.sort());
    return log;
  }

  async #recover(paths: readonly string[]): Promise<void> {
    for (const path of paths)
      this.#nextName = Math.max(this.#nextName, Number.parseInt(nameOf(path), 10) + 1);
    const { segments, free } = await recoverSegments(paths);
    this.#free.push(...free);
    this.#logId = segments[0]?.header.logId ?? this.#logId;
    const frames: { readonly segment: Segment; readonly frame: ScannedFrame }[] = [];
    for (const { path, header, end, frames: found } of segments) {
      const segment = newSegment(path, header, end);
      this.#segments.add(segment);
      this.#lastNumber = Math.max(this.#lastNumber, header.number);
      for (const frame of found) frames.push({ segment, frame });
    }
    frames.sort((a, b) => a.frame.header.sequence - b.frame.header.sequence);
    for (const { segment, frame } of frames) {
      const { sequence, writtenMs, recordBytes } = frame.header;
      this.#lastSequence = Math.max(this.#lastSequence, sequence);
      segment.lastSequence = sequence;
      if (recordBytes > 0) this.#found.push({ path: segment.path, frame });
      for (const { key, at, bytes } of placedFiles(frame)) this.#place(segment, key, at, bytes, writtenMs);
      for (const key of frame.table.deletions) {
        if (this.#forget(key)) segment.deletions.add(key);
      }
    }
    this.#unsaid.clear();
  }

  /** Identifies the log, so that a database can say which one has its last entries. */
  get id(): string {
    return this.#logId;
  }

  /** Whether frames can be appended. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** The records of an earlier process, oldest first, with the sequence numbers of their frames. */
  async *records(): AsyncGenerator<{ readonly sequence: number; readonly record: Buffer }> {
    for (const { path, frame } of this.#found) {
      const record = await readRecord(path, frame);
      if (record === undefined)
        throw new Error(
          `${path}: the record at byte ${frame.at} does not match its checksum; restore a backup`,
        );
      yield { sequence: frame.header.sequence, record };
    }
  }

  /**
   * Makes the folder of the segments, in a bucket that exists. From here on the bucket has a frame, so that the log is
   * known by its id also if the process dies at once.
   */
  async begin(): Promise<void> {
    if (this.#isReady) return;
    try {
      await mkdir(this.#folder).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error;
      });
      await this.#directories.sync(dirname(this.#folder));
      this.#directories.forget(dirname(this.#folder));
      // A process that died may have made segments whose names are not durable yet.
      await this.#directories.sync(this.#folder);
    } catch (error) {
      throw fileStoreError(this.#folder, error);
    }
    this.#isReady = true;
    if (this.#lastSequence > 0) return;
    await this.append(Buffer.alloc(0)).catch((error: unknown) => {
      this.#isReady = false;
      throw error;
    });
  }

  /**
   * Appends a record with the log files that it is about; durable when it resolves, with the sequence number of the
   * frame. If it fails, nothing of it is there, and it may be repeated.
   */
  append(record: Uint8Array, files: readonly FileContent[] = []): Promise<number> {
    this.#appending++;
    return this.#alone(() => this.#append(record, files)).finally(() => {
      this.#appending--;
      if (this.#wantsSpare()) this.#spares.begin();
      this.#spares.resume();
    });
  }

  /** Not before half of the first segment is written, so that a log with little in it takes no more than that. */
  #wantsSpare(): boolean {
    if (this.#free.length > 0 || this.#current === undefined) return false;
    return this.#current.segment.header.previousNumber > 0 || this.#currentShare > 0.5;
  }

  /** A segment is prepared in the pauses between frames, and beside them where it would not be ready in time. */
  get #currentShare(): number {
    return (this.#current?.segment.end ?? 0) / this.#segmentBytes;
  }

  async #append(record: Uint8Array, files: readonly FileContent[]): Promise<number> {
    if (!this.#isReady || this.#isClosed) throw new Error('the log of segments is not open');
    const sequence = this.#lastSequence + 1;
    const writtenMs = this.#clock.nowMs();
    const sizes = files.map(({ key, slices }) => ({ key, bytes: contentBytes(slices) }));
    const deletions = this.#someUnsaid();
    const bytesOf = (head: Uint8Array) => sizes.reduce((sum, { bytes }) => sum + bytes, head.length);
    const frameOf = (generation: string) =>
      encodeFrame({ generation, sequence, writtenMs, files: sizes, deletions, record });
    try {
      const draft = this.#current && frameOf(this.#current.segment.header.generation);
      const isNew = draft === undefined || !this.#fits(bytesOf(draft));
      const current = isNew ? await this.#nextSegment() : this.#current!;
      const { segment, file } = current;
      const head = isNew ? frameOf(segment.header.generation) : draft;
      file.checkExists();
      const bytes = bytesOf(head);
      const isFirst = segment.end === 0;
      const at = isFirst ? blockBytes : segment.end;
      const parts: Uint8Array[] = isFirst ? [encodeSegmentHeader(segment.header), head] : [head];
      for (const { slices } of files) for (const slice of slices) parts.push(slice);
      parts.push(emptyBlock.subarray(0, inBlocks(bytes) - bytes));
      current.isTainted = true;
      await file.write(joinSmallSlices(parts), isFirst ? 0 : at);
      current.isTainted = false;
      const last = this.#lastSequence;
      this.#lastSequence = sequence;
      segment.lastSequence = sequence;
      segment.end = at + inBlocks(bytes);
      let next = at + head.length;
      for (const { key, bytes: size } of sizes) {
        this.#place(segment, key, next, size, writtenMs);
        next += size;
      }
      for (const key of deletions) {
        this.#unsaid.delete(key);
        segment.deletions.add(key);
      }
      if (isFirst)
        for (const other of this.#segments) if (other.lastSequence === last) this.#recycleIfUnneeded(other);
      return sequence;
    } catch (error) {
      throw fileStoreError(this.#folder, error);
    }
  }

  #fits(bytes: number): boolean {
    const { segment } = this.#current!;
    return segment.end === 0 || segment.end + inBlocks(bytes) <= this.#segmentBytes;
  }

  #someUnsaid(): string[] {
    const some: string[] = [];
    for (const key of this.#unsaid) {
      if (some.length === storageLimits.deletionsPerFrameMax) break;
      some.push(key);
    }
    return some;
  }

  async #nextSegment(): Promise<Current> {
    const previous = this.#current;
    if (previous !== undefined) {
      // What a failed write left would be found as a frame when the log is opened the next time.
      if (previous.isTainted) await previous.file.write([emptyBlock], previous.segment.end);
      previous.file.close();
      this.#current = undefined;
    }
    const free = this.#free.at(-1);
    const path = free ?? this.#newPath();
    const file = await SegmentFile.open(path, free === undefined ? 'new' : 'existing');
    if (free !== undefined) this.#free.pop();
    if (free === undefined)
      await this.#directories.sync(this.#folder).catch((error: unknown) => {
        file.close();
        throw error;
      });
    const header = {
      logId: this.#logId,
      generation: randomBytes(generationBytes).toString('hex'),
      number: this.#lastNumber + 1,
      previousNumber: this.#lastNumber,
      previousSequence: this.#lastSequence,
    };
    const segment = newSegment(path, header, 0);
    this.#lastNumber = header.number;
    this.#segments.add(segment);
    this.#current = { segment, file, isTainted: false };
    return this.#current;
  }

  #newPath(): string {
    return join(this.#folder, `${String(this.#nextName++).padStart(8, '0')}.seg`);
  }

  #place(segment: Segment, key: string, at: number, bytes: number, writtenMs: number): void {
    this.#forget(key);
    this.#unsaid.delete(key);
    this.#deletedIn.delete(key);
    const { path, header } = segment;
    this.#files.set(key, { segment, path, generation: header.generation, at, bytes, writtenMs });
    segment.files.add(key);
    segment.fileBytes += bytes;
  }

  #forget(key: string): boolean {
    const located = this.#files.get(key);
    if (located === undefined) return false;
    const { segment, bytes } = located;
    this.#files.delete(key);
    segment.files.delete(key);
    segment.fileBytes -= bytes;
    segment.deleted.add(key);
    this.#deletedIn.set(key, segment);
    return true;
  }

  /** The records of frames up to this one are stored elsewhere. */
  release(sequence: number): void {
    if (sequence <= this.#released) return;
    this.#released = sequence;
    this.#found = this.#found.filter(({ frame }) => frame.header.sequence > sequence);
    for (const segment of this.#segments) this.#recycleIfUnneeded(segment);
  }

  /** The frame that was appended last. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  find(key: string): Located | undefined {
    return this.#files.get(key);
  }

  all(): Iterable<[key: string, location: SegmentLocation]> {
    return this.#files;
  }

  refresh(): Promise<void> {
    return Promise.resolve();
  }

  remove(key: string): void {
    if (key === this.#copied?.key) this.#copied.isDeleted = true;
    this.replaced(key);
  }

  replaced(key: string): void {
    const segment = this.#files.get(key)?.segment;
    if (segment === undefined) return;
    this.#forget(key);
    this.#unsaid.add(key);
    this.#recycleIfUnneeded(segment);
  }

  async read(
    { segment, path, at, bytes }: Located,
    start: number,
    end: number,
    options?: ReadOptions,
  ): Promise<Buffer | undefined> {
    try {
      const range = await readFileRange(
        path,
        at + Math.min(start, bytes),
        at + Math.min(end, bytes),
        options,
      );
      // The file may have been deleted while it was read, and its segment written again.
      return this.#segments.has(segment) ? range : undefined;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw fileStoreError(path, error);
    }
  }

  #recycleIfUnneeded(segment: Segment): void {
    if (this.#isClosed || segment === this.#current?.segment || segment.files.size > 0) return;
    if (segment.lastSequence > this.#released || this.#isLast(segment) || !this.#segments.delete(segment))
      return;
    for (const key of segment.deleted) {
      this.#deletedIn.delete(key);
      this.#unsaid.delete(key);
    }
    // Another segment still has files whose deletion only this one says.
    for (const key of segment.deletions) if (this.#deletedIn.has(key)) this.#unsaid.add(key);
    this.#alone(() => this.#recycle(segment.path)).catch((error: unknown) => {
      this.#log.warn('failed to recycle segment', { path: segment.path, error: String(error) });
    });
  }

  /** Whether it has the last frame: without it nothing would say the id of the log, which the database names. */
  #isLast({ lastSequence }: Segment): boolean {
    return lastSequence === this.#lastSequence;
  }

  /** Erases the header first: a crash while the segment is written again must not show frames of its old generation. */
  async #recycle(path: string): Promise<void> {
    if (this.#free.length >= this.#freeMax) {
      await unlink(path);
      return;
    }
    const file = await SegmentFile.open(path, 'existing');
    try {
      await file.write([emptyBlock], 0);
    } finally {
      file.close();
    }
    this.#free.push(path);
  }

  /**
   * Copies the files of segments of which little is needed into `store` as ordinary objects, until the segments take
   * no more space than `storageLimits.sparseSegmentsBytesMax` and twice what is needed of them.
   */
  async tidy(store: Pick<ObjectStore, 'put' | 'delete'>): Promise<void> {
    for (;;) {
      const sealed = [...this.#segments].filter((segment) => segment !== this.#current?.segment);
      let [neededBytes, takenBytes] = [0, 0];
      for (const { fileBytes, end } of sealed) {
        neededBytes += fileBytes;
        takenBytes += end;
      }
      if (this.#isClosed || takenBytes <= this.#sparseMax + 2 * neededBytes) return;
      const sparse = sealed
        .filter((segment) => segment.lastSequence <= this.#released && !this.#isLast(segment))
        .reduce<Segment | undefined>(
          (least, segment) => (isSparser(segment, least) ? segment : least),
          undefined,
        );
      if (sparse === undefined) return;
      for (const key of [...sparse.files]) await this.#copyOut(key, store);
      if (sparse.files.size > 0) return;
    }
  }

  async #copyOut(key: string, store: Pick<ObjectStore, 'put' | 'delete'>): Promise<void> {
    const copied = { key, isDeleted: false };
    this.#copied = copied;
    try {
      const located = this.#files.get(key);
      const content = located && (await this.read(located, 0, located.bytes));
      if (content === undefined || copied.isDeleted) return;
      await store.put(key, [content]);
      this.replaced(key);
    } finally {
      this.#copied = undefined;
    }
    if (copied.isDeleted) await store.delete(key);
  }

  /** Whether files lie here and nowhere else. */
  get hasFiles(): boolean {
    return this.#files.size > 0;
  }

  /** Waits for what is under way, and says which files are deleted. */
  async close(): Promise<void> {
    await this.#spares.close();
    while (this.#isReady && this.#unsaid.size > 0) {
      const before = this.#unsaid.size;
      await this.append(Buffer.alloc(0)).catch((error: unknown) => {
        this.#log.warn('failed to store deletions of files in segments', { error: String(error) });
      });
      if (this.#unsaid.size >= before) break;
    }
    await this.#alone(async () => {
      this.#isClosed = true;
      const current = this.#current;
      // Best effort: a frame that failed and is there nevertheless was never acknowledged.
      if (current?.isTainted)
        await current.file.write([emptyBlock], current.segment.end).catch(() => undefined);
      current?.file.close();
      this.#current = undefined;
      this.#directories.close();
    });
  }

  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#busy.then(work);
    this.#busy = result.catch(() => undefined);
    return result;
  }
}

function newSegment(path: string, header: SegmentHeader, end: number): Segment {
  return {
    path,
    header,
    end,
    lastSequence: 0,
    files: new Set(),
    fileBytes: 0,
    deleted: new Set(),
    deletions: new Set(),
  };
}

function isSparser(segment: Segment, other: Segment | undefined): boolean {
  return other === undefined || segment.fileBytes / segment.end < other.fileBytes / other.end;
}

function nameOf(path: string): string {
  return path.slice(-'00000000.seg'.length);
}
