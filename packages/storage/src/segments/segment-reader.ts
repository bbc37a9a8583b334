import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../file/file-errors.ts';
import { segmentsFolder } from '../file/list-files.ts';
import { readFileRange } from '../file/read-file-range.ts';
import { blockBytes, decodeSegmentHeader } from './frame.ts';
import { type ScannedFrame, type ScannedSegment, scanSegment } from './scan-segment.ts';
import { placedFiles } from './segment-index.ts';
import {
  type ReadOptions,
  type SegmentLocation,
  type SegmentObjects,
  segmentNamePattern,
} from './segment-objects.ts';

interface KnownSegment {
  readonly state: string;
  readonly scanned: ScannedSegment;
  readonly frames: readonly ScannedFrame[];
}

/**
 * Reads log files in segments that another process, or another thread, writes: tools, jobs, a restore. It looks for new
 * segments only when a file is found nowhere else.
 */
export class SegmentReader implements SegmentObjects {
  readonly #folder: string;
  readonly #segments = new Map<string, KnownSegment>();
  #files = new Map<string, SegmentLocation>();
  #newestNumber = 0;
  #refreshing: Promise<void> | undefined;

  constructor(bucketPath: string) {
    this.#folder = join(bucketPath, segmentsFolder);
  }

  find(key: string): SegmentLocation | undefined {
    return this.#files.get(key);
  }

  all(): Iterable<[key: string, location: SegmentLocation]> {
    return this.#files;
  }

  /** Only the owner can delete files of segments. What it does not learn otherwise, its scan for dead files finds. */
  remove(key: string): void {
    this.#files.delete(key);
  }

  replaced(key: string): void {
    this.#files.delete(key);
  }

  /** Callers that come while a look is under way wait for the next one, which sees what they know of. */
  async refresh(): Promise<void> {
    await this.#refreshing;
    this.#refreshing ??= this.#look().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  async #look(): Promise<void> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
      throw error;
    });
    let hasNews = false;
    const found = new Set<string>();
    for (const name of names) {
      if (!segmentNamePattern.test(name)) continue;
      const path = join(this.#folder, name);
      found.add(path);
      hasNews = (await this.#lookAt(path)) || hasNews;
    }
    for (const path of this.#segments.keys()) {
      if (found.has(path)) continue;
      this.#segments.delete(path);
      hasNews = true;
    }
    if (hasNews) this.#index();
  }

  async #lookAt(path: string): Promise<boolean> {
    const known = this.#segments.get(path);
    try {
      const { mtimeMs, size } = await stat(path);
      const state = `${mtimeMs} ${size}`;
      // The time of a change is coarse, and the newest one may change again within it.
      if (known?.state === state && known.scanned.header.number < this.#newestNumber) return false;
      const scanned = await scanSegment(path, known?.scanned);
      if (scanned === 'free') return this.#segments.delete(path);
      const isSame = scanned.header.generation === known?.scanned.header.generation;
      const frames = isSame ? [...known!.frames, ...scanned.frames] : scanned.frames;
      this.#newestNumber = Math.max(this.#newestNumber, scanned.header.number);
      this.#segments.set(path, { state, scanned, frames });
      return !isSame || scanned.frames.length > 0;
    } catch (error) {
      // The owner removed it.
      if (codeOf(error) === 'ENOENT') return this.#segments.delete(path);
      throw error;
    }
  }

  #index(): void {
    const frames = [...this.#segments].flatMap(([path, { scanned, frames }]) =>
      frames.map((frame) => ({ path, generation: scanned.header.generation, frame })),
    );
    frames.sort((a, b) => a.frame.header.sequence - b.frame.header.sequence);
    this.#files = new Map();
    for (const { path, generation, frame } of frames) {
      const { writtenMs } = frame.header;
      for (const { key, at, bytes } of placedFiles(frame))
        this.#files.set(key, { path, generation, at, bytes, writtenMs });
      for (const key of frame.table.deletions) this.#files.delete(key);
    }
  }

  async read(
    location: SegmentLocation,
    start: number,
    end: number,
    options?: ReadOptions,
  ): Promise<Buffer | undefined> {
    const { path, generation, at, bytes } = location;
    try {
      const range = await readFileRange(
        path,
        at + Math.min(start, bytes),
        at + Math.min(end, bytes),
        options,
      );
      // The owner may have used the segment again, before or while it was read.
      const header = decodeSegmentHeader(await firstBlock(path));
      return typeof header === 'object' && header.generation === generation ? range : undefined;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }
}

async function firstBlock(path: string): Promise<Buffer> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(blockBytes), 0, blockBytes, 0);
  return buffer.subarray(0, bytesRead);
}
