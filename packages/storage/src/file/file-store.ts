import { type FileHandle, link, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock, Random } from '@weir/core';
import { joinSmallSlices } from '../store/content.ts';
import { checkKey, checkRange } from '../store/key.ts';
import type { CallOptions, ObjectStore } from '../store/object-store.ts';
import { ObjectNotFound, StoreError } from '../store/store-error.ts';
import { codeOf, fileStoreError } from './file-errors.ts';
import { listFiles, temporaryFolder } from './list-files.ts';

export interface FileStoreDeps {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * A temporary file this old was left by a process that is gone. A younger one may belong to another process that shares
 * the directory and is writing.
 */
export const leftoverAgeMs = 60 * 60_000;

/** How many directories are remembered as made. Forgetting one costs a `mkdir`. */
const knownDirectoriesMax = 10_000;

/** `IOV_MAX` of every system that Node runs on. */
const slicesPerWrite = 1024;

/** Tells the temporary files of this process apart; chance tells those of machines that share a directory. */
let writes = 0;

/**
 * Objects as files below a directory: the key is the path. An object appears whole or not at all, and is on the disk when its
 * put resolves: it is written under a temporary name, synced, renamed, and its directory synced. What is absent is claimed
 * with a hard link, which one of any number of processes gets.
 */
export async function openFileStore(root: string, { clock, random }: FileStoreDeps): Promise<ObjectStore> {
  const temporary = join(root, temporaryFolder);
  const knownDirectories = new Set<string>();

  try {
    await makeDirectory(temporary);
    await removeLeftovers();
  } catch (error) {
    throw fileStoreError(root, error);
  }

  async function removeLeftovers(): Promise<void> {
    const bornBeforeMs = clock.nowMs() - leftoverAgeMs;
    for (const name of await readdir(temporary)) {
      const path = join(temporary, name);
      try {
        if ((await stat(path)).mtimeMs < bornBeforeMs) await unlink(path);
      } catch (error) {
        // Another process may be tidying too.
        if (codeOf(error) !== 'ENOENT') throw error;
      }
    }
  }

  /** Makes a directory and those above it, and syncs each that got a new entry. */
  async function makeDirectory(path: string): Promise<void> {
    if (knownDirectories.has(path)) return;
    const firstMade = await mkdir(path, { recursive: true });
    if (firstMade !== undefined) {
      for (let made = path; made.length >= firstMade.length; made = dirname(made)) {
        await syncDirectory(dirname(made));
      }
    }
    if (knownDirectories.size >= knownDirectoriesMax) knownDirectories.clear();
    knownDirectories.add(path);
  }

  function pathOf(key: string): string {
    checkKey(key);
    if (key.startsWith(`${temporaryFolder}/`) || key === temporaryFolder) {
      throw new StoreError('invalid', key, `${temporaryFolder} is for files under way`);
    }
    return join(root, ...key.split('/'));
  }

  /** Writes and syncs a temporary file, and lets `place` give it its name. */
  async function writeThen<Result>(
    key: string,
    content: readonly Uint8Array[],
    { signal }: CallOptions,
    place: (temporaryPath: string, path: string) => Promise<Result>,
  ): Promise<Result> {
    const path = pathOf(key);
    signal?.throwIfAborted();
    const name = `${process.pid}-${writes++}-${random.below(2 ** 32).toString(16)}`;
    const temporaryPath = join(temporary, name);
    const file = await open(temporaryPath, 'wx').catch((error: unknown) => {
      throw fileStoreError(key, error);
    });
    try {
      try {
        await writeSlices(file, joinSmallSlices(content), signal);
      } finally {
        await file.close();
      }
      await makeDirectory(dirname(path));
      signal?.throwIfAborted();
      let result: Result;
      try {
        result = await place(temporaryPath, path);
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error;
        // Somebody removed the directory behind our back.
        knownDirectories.delete(dirname(path));
        await makeDirectory(dirname(path));
        result = await place(temporaryPath, path);
      }
      await syncDirectory(dirname(path));
      return result;
    } catch (error) {
      await unlink(temporaryPath).catch(() => {});
      throw fileStoreError(key, error);
    }
  }

  return {
    put: (key, content, options = {}) =>
      writeThen(key, content, options, (temporaryPath, path) => rename(temporaryPath, path)),

    putIfAbsent: (key, content, options = {}) =>
      writeThen(key, content, options, async (temporaryPath, path) => {
        const isNew = await link(temporaryPath, path).then(
          () => true,
          (error) => {
            if (codeOf(error) === 'EEXIST') return false;
            throw error;
          },
        );
        if (!isNew && (await stat(path)).isDirectory()) {
          throw new StoreError('invalid', key, 'it is the folder of other keys');
        }
        await unlink(temporaryPath);
        return isNew;
      }),

    async getRange(key, start, end, { signal } = {}) {
      const path = pathOf(key);
      checkRange(key, start, end);
      signal?.throwIfAborted();
      return await reading(key, async () => {
        await using file = await open(path, 'r');
        const info = await file.stat();
        if (!info.isFile()) throw new ObjectNotFound(key);
        return await readRange(file, start, Math.min(end, info.size));
      });
    },

    async head(key, { signal } = {}) {
      const path = pathOf(key);
      signal?.throwIfAborted();
      try {
        return await reading(key, async () => {
          const info = await stat(path);
          return info.isFile() ? { key, bytes: info.size, modifiedMs: Math.floor(info.mtimeMs) } : undefined;
        });
      } catch (error) {
        if (error instanceof ObjectNotFound) return undefined;
        throw error;
      }
    },

    async delete(key, { signal } = {}) {
      const path = pathOf(key);
      signal?.throwIfAborted();
      try {
        const info = await stat(path);
        if (info.isFile()) await unlink(path);
      } catch (error) {
        if (!isAbsence(error)) throw fileStoreError(key, error);
      }
    },

    list: (prefix, options = {}) => listFiles(root, prefix, options),

    async close() {},
  };
}

async function writeSlices(
  file: FileHandle,
  slices: readonly Uint8Array[],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let at = 0; at < slices.length; at += slicesPerWrite) {
    signal?.throwIfAborted();
    await writeAll(file, slices.slice(at, at + slicesPerWrite));
  }
  await file.datasync();
}

/** A write may take less than it was given. */
async function writeAll(file: FileHandle, slices: readonly Uint8Array[]): Promise<void> {
  let left = slices;
  while (left.length > 0) {
    let { bytesWritten } = await file.writev(left);
    let whole = 0;
    while (whole < left.length && bytesWritten >= left[whole]!.length) bytesWritten -= left[whole++]!.length;
    if (whole === left.length) return;
    left = [left[whole]!.subarray(bytesWritten), ...left.slice(whole + 1)];
  }
}

async function readRange(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const range = Buffer.allocUnsafe(Math.max(0, end - start));
  let filled = 0;
  while (filled < range.length) {
    const { bytesRead } = await file.read(range, filled, range.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return range.subarray(0, filled);
}

async function reading<Result>(key: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    throw isAbsence(error) ? new ObjectNotFound(key, { cause: error }) : fileStoreError(key, error);
  }
}

/** A key below another key is as absent as one whose folder is. */
function isAbsence(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r');
  await directory.sync();
}
