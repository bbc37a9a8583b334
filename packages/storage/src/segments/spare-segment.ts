import { close, constants, fdatasync, open, unlink, write } from 'node:fs';
import { KiB, MiB } from '@weir/core';
import { done } from '../file/synced-file.ts';
import { inBlocks } from './frame.ts';

/** How much is written at once: a frame that comes meanwhile waits for no more. */
const pieceBytes = MiB;

/** As much as is used of it here: the library of the language does not declare it. */
declare const WebAssembly: {
  readonly Memory: new (pages: {
    readonly initial: number;
    readonly maximum: number;
  }) => { readonly buffer: ArrayBuffer };
};
const memoryPageBytes = 64 * KiB;

let zeros: Buffer | undefined;

/** Zeros in memory that begins at a page, which direct writes need and a buffer does not promise. */
function alignedZeros(): Buffer {
  const pages = pieceBytes / memoryPageBytes;
  zeros ??= Buffer.from(new WebAssembly.Memory({ initial: pages, maximum: pages }).buffer);
  return zeros;
}

/**
 * A segment that is filled with zeros before it is needed. A frame then overwrites blocks that the file system knows,
 * and its write waits for the data alone. In a file that grows, it also waits for the journal of the file system, and
 * with it for what other programs write.
 *
 * The zeros pass by the page cache: that costs next to no CPU time, and pushes nothing out of it.
 */
export class SpareSegment {
  readonly path: string;
  readonly #bytes: number;
  readonly #descriptor: number;
  #at = 0;

  private constructor(path: string, bytes: number, descriptor: number) {
    this.path = path;
    this.#bytes = inBlocks(bytes);
    this.#descriptor = descriptor;
  }

  /** Fails where the file system has no direct writes. */
  static create(path: string, bytes: number): Promise<SpareSegment> {
    // Not declared everywhere, and then nothing is created.
    const { O_CREAT, O_EXCL, O_WRONLY, O_DIRECT } = constants as Partial<typeof constants>;
    if (O_DIRECT === undefined) return Promise.reject(new Error('this system has no direct writes'));
    return new Promise((resolve, reject) => {
      open(path, O_CREAT! | O_EXCL! | O_WRONLY! | O_DIRECT, 0o600, (error, descriptor) => {
        if (error === null) resolve(new SpareSegment(path, bytes, descriptor));
        else reject(error);
      });
    });
  }

  /** Up to 1, when it is complete. */
  get share(): number {
    return this.#at / this.#bytes;
  }

  /** Writes the next piece. */
  async writeOn(): Promise<void> {
    const zeros = alignedZeros();
    const length = Math.min(zeros.length, this.#bytes - this.#at);
    const bytesWritten = await new Promise<number>((resolve, reject) => {
      write(this.#descriptor, zeros, 0, length, this.#at, (error, written) => {
        if (error === null) resolve(written);
        else reject(error);
      });
    });
    if (bytesWritten < length) throw new Error(`a direct write of ${length} bytes wrote ${bytesWritten}`);
    this.#at += bytesWritten;
  }

  /** Size and blocks are durable afterwards. */
  async finish(): Promise<void> {
    await done((called) => fdatasync(this.#descriptor, called));
    close(this.#descriptor, () => {});
  }

  /** Removes it. */
  async abandon(): Promise<void> {
    close(this.#descriptor, () => {});
    await done((called) => unlink(this.path, called));
  }
}
