import { close, constants, ftruncate, open, read, unlink, writev } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MiB } from '@weir/core';
import { codeOf } from '../file/file-errors.ts';
import { contentBytes, joinSmallSlices } from '../store/content.ts';
import { StoreError } from '../store/store-error.ts';

/** Writes slices at a position of a file and gives how many bytes of them it wrote. */
export type WriteAt = (file: number, slices: readonly Uint8Array[], position: number) => Promise<number>;

interface SpillOptions {
  /** Where the files lie; they have no name there. */
  readonly directory: string;
  /** For tests of disks that are full. */
  readonly writeAt?: WriteAt;
}

/** An object that lies in a file. */
export interface Spilled {
  readonly bytes: number;
  /** Bytes `start` to `end` of it. */
  read(start: number, end: number): Promise<Buffer>;
  /** Gives its place up. What is being read is still read. */
  release(): void;
}

/** A file takes objects until it has this size. Its place on the disk is free again when all of them are gone. */
const fileBytesMax = 256 * MiB;

/** `IOV_MAX` of every system that Node runs on. */
const slicesPerWrite = 1024;

const newFile = constants.O_CREAT | constants.O_EXCL | constants.O_RDWR;

const opened = promisify(open);
const unlinked = promisify(unlink);
const truncated = promisify(ftruncate);
const readAt = promisify(read);
const systemWriteAt: WriteAt = async (file, slices, position) =>
  (await promisify(writev)(file, slices, position)).bytesWritten;

/** Makes names of files unique in this process. */
let files = 0;

/**
 * Objects on the disk that live no longer than the process, however it ends: they lie in files whose name is removed as soon as they
 * are open, so that the system gives their place back when the process is gone, and nothing has to be tidied up after it.
 */
export class Spill {
  readonly #directory: string;
  readonly #writeAt: WriteAt;
  #current: Promise<SpillFile> | undefined;

  constructor({ directory, writeAt = systemWriteAt }: SpillOptions) {
    this.#directory = directory;
    this.#writeAt = writeAt;
  }

  /** Writes an object. It is not synced: no process looks for it after a crash. `subject` is what an error is about. */
  async write(content: readonly Uint8Array[], subject: string): Promise<Spilled> {
    const bytes = contentBytes(content);
    try {
      const file = await this.#fileWithRoom();
      const position = file.take(bytes);
      try {
        await this.#writeAll(file.descriptor, joinSmallSlices(content), position);
      } catch (error) {
        await file.giveBack(position, bytes);
        throw error;
      }
      return {
        bytes,
        read: (start, end) => file.read(position + start, position + end),
        release: () => file.release(),
      };
    } catch (error) {
      const code = codeOf(error);
      if (code === undefined) throw error;
      const problem = `what does not fit into memory goes to ${this.#directory}, and the file system answered ${code}`;
      throw new StoreError('unavailable', subject, problem, { cause: error });
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

/** What is left of slices when so many bytes of them are written. */
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

  /** What was taken last goes back to the disk. In front of something else it waits for the rest of the file. */
  async giveBack(position: number, bytes: number): Promise<void> {
    if (position + bytes === this.#endPosition) {
      this.#endPosition = position;
      await truncated(this.descriptor, position).catch(() => {});
    }
    this.release();
  }

  release(): void {
    this.#users--;
    // All that was in it is gone, and so its place should be.
    if (this.#users === 0 && this.#endPosition > 0) this.#isRetired = true;
    this.#closeIfUnused();
  }

  async read(start: number, end: number): Promise<Buffer> {
    const range = Buffer.allocUnsafeSlow(end - start);
    this.#users++;
    try {
      let filled = 0;
      while (filled < range.length) {
        const left = range.length - filled;
        const { bytesRead } = await readAt(this.descriptor, range, filled, left, start + filled);
        if (bytesRead === 0) throw new Error('a file of objects that do not fit into memory was cut off');
        filled += bytesRead;
      }
      return range;
    } finally {
      this.release();
    }
  }

  #closeIfUnused(): void {
    if (this.#isRetired && this.#users === 0) close(this.descriptor, () => {});
  }
}
