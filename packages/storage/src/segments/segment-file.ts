import { close, constants, fdatasync, fstatSync, open, writev } from 'node:fs';
import { MiB } from '@weir/core';
import { contentBytes, partsOf } from '../store/content.ts';
import { StoreError } from '../store/store-error.ts';
import { blockBytes, inBlocks } from './frame.ts';

/** `IOV_MAX` of all systems that Node runs on. */
const slicesPerWrite = 1024;

/** Set where a write can include its own sync. Elsewhere the flag is missing, or guarantees less than a sync. */
const syncedWrites = process.platform === 'linux' ? constants.O_DSYNC : undefined;

/**
 * A large frame is written in parts side by side: one is on its way to the disk while the next is copied to the system.
 * Other work needs the threads that are left.
 */
const partsMax = 3;
const partBytesMin = MiB;

/** Zeros, for padding and for what is erased. */
export const emptyBlock = Buffer.alloc(blockBytes);

/** A segment that is open for writing. What a write was given is durable when it resolves. */
export class SegmentFile {
  readonly path: string;
  readonly #descriptor: number;

  private constructor(path: string, descriptor: number) {
    this.path = path;
    this.#descriptor = descriptor;
  }

  static open(path: string, how: 'new' | 'existing'): Promise<SegmentFile> {
    const { O_CREAT, O_EXCL, O_WRONLY } = constants;
    const flags = (how === 'new' ? O_CREAT | O_EXCL | O_WRONLY : O_WRONLY) | (syncedWrites ?? 0);
    return new Promise((resolve, reject) => {
      open(path, flags, 0o600, (error, descriptor) => {
        if (error === null) resolve(new SegmentFile(path, descriptor));
        else reject(error);
      });
    });
  }

  /** Fails if the file was removed: nothing that is written to it now would outlive the process. */
  checkExists(): void {
    if (fstatSync(this.#descriptor).nlink > 0) return;
    throw new StoreError('bucketMissing', this.path, 'the segment was removed');
  }

  /** The slices must not be changed before this settles. If it fails, any part of them may have been written. */
  async write(slices: readonly Uint8Array[], at: number): Promise<void> {
    const bytes = contentBytes(slices);
    const parts = Math.min(partsMax, Math.floor(bytes / partBytesMin));
    if (parts > 1) await this.#writeBeside(slices, at, inBlocks(bytes / parts));
    else await this.#writeAll(slices, at);
    if (syncedWrites === undefined) await this.#sync();
  }

  async #writeBeside(slices: readonly Uint8Array[], at: number, partBytes: number): Promise<void> {
    const writes = partsOf(slices, partBytes).map((part, index) =>
      this.#writeAll(part, at + index * partBytes),
    );
    const failed = (await Promise.allSettled(writes)).find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  }

  async #writeAll(slices: readonly Uint8Array[], at: number): Promise<void> {
    let left = slices;
    let position = at;
    while (left.length > 0) {
      const given = left.length > slicesPerWrite ? left.slice(0, slicesPerWrite) : left;
      const bytesWritten = await this.#write(given, position);
      position += bytesWritten;
      left = after(left, bytesWritten);
    }
  }

  #write(slices: readonly Uint8Array[], position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      writev(this.#descriptor, slices, position, (error, bytesWritten) => {
        if (error === null) resolve(bytesWritten);
        else reject(error);
      });
    });
  }

  #sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fdatasync(this.#descriptor, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  /** An error of close says nothing about data that was synced. */
  close(): void {
    close(this.#descriptor, () => {});
  }
}

/** What is left of slices after so many bytes: a write may write less than it was given. */
function after(slices: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let whole = 0;
  let rest = bytes;
  while (whole < slices.length && rest >= slices[whole]!.length) rest -= slices[whole++]!.length;
  if (whole === slices.length) return [];
  return [slices[whole]!.subarray(rest), ...slices.slice(whole + 1)];
}
