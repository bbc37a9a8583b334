import { type FileHandle, open, unlink } from 'node:fs/promises';
import { storageLimits } from '../limits.ts';
import { checkParts } from '../store/check-parts.ts';
import { contentBytes } from '../store/content.ts';
import type { CallOptions, ObjectUpload } from '../store/object-store.ts';
import { fileStoreError } from './file-errors.ts';

/**
 * An object that is written in parts, under a temporary name until it is finished. Each part is synced as it is
 * written, so that the disk is never busy for long with a large file while small ones wait.
 */
export class FileUpload implements ObjectUpload {
  readonly #key: string;
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #place: () => Promise<void>;
  readonly #partEnds: number[] = [];
  #isFinished = false;

  static async open(key: string, path: string, place: () => Promise<void>): Promise<FileUpload> {
    try {
      return new FileUpload(key, path, await open(path, 'wx'), place);
    } catch (error) {
      throw fileStoreError(key, error);
    }
  }

  private constructor(key: string, path: string, file: FileHandle, place: () => Promise<void>) {
    this.#key = key;
    this.#path = path;
    this.#file = file;
    this.#place = place;
  }

  async putPart(index: number, content: readonly Uint8Array[], { signal }: CallOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    let at = index * storageLimits.uploadPartBytes;
    this.#partEnds[index] = at + contentBytes(content);
    try {
      for (const slice of content) {
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
  }

  async finish(partCount: number, { signal }: CallOptions = {}): Promise<void> {
    // A repeated call finds what the first one did.
    if (this.#isFinished) return;
    signal?.throwIfAborted();
    checkParts(this.#key, this.#partEnds, partCount);
    try {
      await this.#place();
      this.#isFinished = true;
      await this.#file.close();
    } catch (error) {
      throw fileStoreError(this.#key, error);
    }
  }

  async abort(): Promise<void> {
    if (this.#isFinished) return;
    this.#isFinished = true;
    await this.#file.close().catch(() => {});
    await unlink(this.#path).catch(() => {});
  }
}
