import { close, constants, ftruncate, open, read, unlink, writev } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MiB } from '@weir/core';
import { codeOf } from '../file/file-errors.ts';
import { contentBytes, joinSmallSlices } from '../store/content.ts';
import type { ReadMemory } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';

/** Writes slices at a position of a file and returns how many bytes were written. */
export type WriteAt = (file: number, slices: readonly Uint8Array[], position: number) => Promise<number>;

interface SpillOptions {
  /** The directory of the files; they are unlinked at once. */
  readonly directory: string;
  /** For tests of full disks. */
  readonly writeAt?: WriteAt;
}

/** An object in a file. */
export interface Spilled {
  readonly bytes: number;
  /** Bytes `start` to `end` of it. */
  read(start: number, end: number, memory?: ReadMemory): Promise<Buffer>;
  /** Releases its space. Reads in progress still complete. */
  release(): void;
}

/** A file takes objects until it has this size. Its disk space is freed when all of them are gone. */
const fileBytesMax = 256 * MiB;

/** `IOV_MAX` of all systems that Node runs on. */
const slicesPerWrite = 1024;

const newFile = constants.O_CREAT | constants.O_EXCL | constants.O_RDWR;

const opened = promisify(open);
const unlinked = promisify(unlink);
const truncated = promisify(ftruncate);
const readAt = promisify(read);
const writtenAt = promisify(writev);
const systemWriteAt: WriteAt = async (file, slices, position) =>
  (await writtenAt(file, slices, position)).bytesWritten;

/** Makes file names unique in this process. */
let files = 0;

/**
 * Objects on disk that live no longer than the process, however it ends: they are in files that are unlinked as soon as
 * they are open, so the operating system frees the space when the process ends, and nothing has to be cleaned up.
 */
export class Spill {
  readonly #directory: string;
  readonly #writeAt: WriteAt;
  #current: Promise<SpillFile> | undefined;

  constructor({ directory, writeAt = systemWriteAt }: SpillOptions) {
    this.#directory = directory;
    this.#writeAt = writeAt;
  }

  /**
   * Writes an object. It is not synced, because it does not outlive the process. `subject` is what an error is about.
   */
  async write(content: readonly Uint8Array[], subject: string): Promise<Spilled> {
    const bytes = contentBytes(content);
    try {
      let file = await this.#fileWithRoom();
      // Its last object may have gone meanwhile, which closes it.
      while (!file.hasRoom) file = await this.#fileWithRoom();
      const position = file.take(bytes);
      try {
        await this.#writeAll(file.descriptor, joinSmallSlices(content), position);
      } catch (error) {
        await file.giveBack(position, bytes);
        throw error;
      }
      return {
        bytes,
        read: (start, end, memory) => file.read(position + start, position + end, memory),
        release: () => file.release(),
      };
    } catch (error) {
      const code = codeOf(error);
      if (code === undefined) throw error;
      const problem = `what does not fit into memory goes to ${this.#directory}, and the file system returned ${code}`;
      const kind = code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'unavailable';
      throw new StoreError(kind, subject, problem, { cause: error });
    }
  }

  async #fileWithRoom(): Promise<SpillFile> {
    for (;;) {
      this.#current ??= this.#open();
      const current = this.#current;
      const file = await current.catch((error) => {
        if (this.#current === current) this.#current = undefined;
        throw error;
      });
      if (file.hasRoom) return file;
      if (this.#current === current) {
        this.#current = undefined;
        file.retire();
      }
    }
  }

  async #open(): Promise<SpillFile> {
    const path = join(this.#directory, `weir-${process.pid}-${files++}.tmp`);
    const descriptor = await opened(path, newFile, 0o600);
    await unlinked(path);
    return new SpillFile(descriptor);
  }

  async #writeAll(descriptor: number, slices: readonly Uint8Array[], position: number): Promise<void> {
    let at = position;
    for (let first = 0; first < slices.length; first += slicesPerWrite) {
      let left = slices.slice(first, first + slicesPerWrite);
      while (left.length > 0) {
        const written = await this.#writeAt(descriptor, left, at);
        at += written;
        left = behind(left, written);
      }
    }
  }
}

/** The rest of the slices after this many bytes were written. */
function behind(slices: readonly Uint8Array[], written: number): Uint8Array[] {
  let bytes = written;
  let whole = 0;
  while (whole < slices.length && bytes >= slices[whole]!.length) bytes -= slices[whole++]!.length;
  const left = slices.slice(whole);
  if (bytes > 0) left[0] = left[0]!.subarray(bytes);
  return left;
}

class SpillFile {
  readonly descriptor: number;
  #endPosition = 0;
  /** Objects in it, and calls that read or write it. */
  #users = 0;
  #isRetired = false;
  #isClosed = false;

  constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  get hasRoom(): boolean {
    return !this.#isRetired && this.#endPosition < fileBytesMax;
  }

  /** Takes no more objects. */
  retire(): void {
    this.#isRetired = true;
    this.#closeIfUnused();
  }

  take(bytes: number): number {
    const position = this.#endPosition;
    this.#endPosition += bytes;
    this.#users++;
    return position;
  }

  /** Truncates the file if these bytes are at its end. Otherwise their space is freed with the rest of the file. */
  async giveBack(position: number, bytes: number): Promise<void> {
    if (position + bytes === this.#endPosition) {
      this.#endPosition = position;
      await truncated(this.descriptor, position).catch(() => {});
    }
    this.release();
  }

  release(): void {
    this.#users--;
    // All objects in it are gone, so its space should be freed.
    if (this.#users === 0 && this.#endPosition > 0) this.#isRetired = true;
    this.#closeIfUnused();
  }

  async read(
    start: number,
    end: number,
    memory: ReadMemory = (bytes) => Buffer.allocUnsafeSlow(bytes),
  ): Promise<Buffer> {
    const range = memory(end - start);
    this.#users++;
    try {
      let filled = 0;
      while (filled < range.length) {
        const left = range.length - filled;
        const { bytesRead } = await readAt(this.descriptor, range, filled, left, start + filled);
        if (bytesRead === 0) throw new Error('a file of objects that do not fit into memory is truncated');
        filled += bytesRead;
      }
      return range;
    } finally {
      this.release();
    }
  }

  /** Once: the number may belong to another file by then. */
  #closeIfUnused(): void {
    if (!this.#isRetired || this.#users > 0 || this.#isClosed) return;
    this.#isClosed = true;
    close(this.descriptor, () => {});
  }
}
