import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { Clock } from '@weir/core';
import { storageLimits } from '../limits.ts';
import { pause } from '../store/abort.ts';
import { checkParts } from '../store/check-parts.ts';
import { contentBytes, partsOf } from '../store/content.ts';
import type { CallOptions, ObjectUpload } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';
import { fileStoreError } from './file-errors.ts';

/**
 * An object that is written in parts, under a temporary name until it is finished. Only background work writes objects
 * in parts. So it is synced piece by piece, with pauses as long as the writes, and the small files of requests wait for
 * one piece at most, and find the disk free half of the time.
 */
export class FileUpload implements ObjectUpload {
  readonly #key: string;
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #clock: Clock;
  readonly #place: () => Promise<void>;
  readonly #partEnds: number[] = [];
  #state: 'open' | 'finished' | 'aborted' = 'open';

  static async open(
    key: string,
    path: string,
    clock: Clock,
    place: () => Promise<void>,
  ): Promise<FileUpload> {
    try {
      return new FileUpload(key, path, await open(path, 'wx'), clock, place);
    } catch (error) {
      throw fileStoreError(key, error);
    }
  }

  private constructor(key: string, path: string, file: FileHandle, clock: Clock, place: () => Promise<void>) {
    this.#key = key;
    this.#path = path;
    this.#file = file;
    this.#clock = clock;
    this.#place = place;
  }

  async putPart(index: number, content: readonly Uint8Array[], { signal }: CallOptions = {}): Promise<void> {
    let at = index * storageLimits.uploadPartBytes;
    this.#partEnds[index] = at + contentBytes(content);
    for (const piece of partsOf(content, storageLimits.uploadSyncBytes)) {
      signal?.throwIfAborted();
      const startMs = this.#clock.monotonicMs();
      try {
        for (const slice of piece) {
          for (let written = 0; written < slice.length; ) {
            const { bytesWritten } = await this.#file.write(slice, written, slice.length - written, at);
            written += bytesWritten;
            at += bytesWritten;
          }
        }
        await this.#file.datasync();
      } catch (error) {
        throw fileStoreError(this.#key, error);
      }
      await pause(this.#clock, this.#clock.monotonicMs() - startMs, signal);
    }
  }

  async finish(partCount: number, { signal }: CallOptions = {}): Promise<void> {
    // A repeated call finds what the first one did.
    if (this.#state === 'finished') return;
    signal?.throwIfAborted();
    if (this.#state === 'aborted') throw new StoreError('invalid', this.#key, 'the upload was aborted');
    checkParts(this.#key, this.#partEnds, partCount);
    try {
      await this.#place();
      this.#state = 'finished';
      await this.#file.close();
    } catch (error) {
      throw fileStoreError(this.#key, error);
    }
  }

  async abort(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'aborted';
    await this.#file.close().catch(() => {});
    await unlink(this.#path).catch(() => {});
  }
}
