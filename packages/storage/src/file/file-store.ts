import { rename } from 'node:fs';
import { link, readdir, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { Clock, Random } from '@weir/core';
import { joinSmallSlices } from '../store/content.ts';
import { unlessAllFailed } from '../store/failed-deletions.ts';
import { checkKey, checkKeys, checkRange } from '../store/key.ts';
import type { CallOptions, FailedDeletion, ObjectStore } from '../store/object-store.ts';
import { ObjectNotFound, StoreError } from '../store/store-error.ts';
import { BucketDirectory, isAbsence, isRefusal, makeDirectories } from './bucket-directory.ts';
import { codeOf, fileStoreError } from './file-errors.ts';
import { FileUpload } from './file-upload.ts';
import { listFiles, segmentsFolder, temporaryFolder } from './list-files.ts';
import { readFileRange } from './read-file-range.ts';
import { done, SyncedDirectories, writeSyncedFile } from './synced-file.ts';

interface FileStoreDeps {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * A temporary file this old was left by a process that is gone. A younger one may belong to another process that shares
 * the directory and is writing.
 */
export const leftoverAgeMs = 60 * 60_000;

/** How many created directories are remembered. Forgetting one costs a `mkdir`. */
const knownDirectoriesMax = 10_000;

/** Log files are spread over 256 directories. Beyond this number a directory is opened for every sync. */
const openDirectoriesMax = 512;

/**
 * Makes names of temporary files unique in this process; a random part makes them unique among machines that share a
 * directory.
 */
let writes = 0;

/**
 * Objects as files below a directory: the key is the path. An object appears as a whole or not at all, and is durable
 * when its put resolves: it is written under a temporary name, synced, renamed, and its directory synced. An object of
 * a new key is written under its own name. An absent key is claimed with a hard link, which only one of any number of
 * processes gets.
 *
 * The directory is never made here, see `createFileBucket`: one that was unmounted or removed is a missing bucket, and
 * not an empty one.
 */
export async function openFileStore(root: string, { clock, random }: FileStoreDeps): Promise<ObjectStore> {
  const rootPath = resolve(root);
  const temporary = join(rootPath, temporaryFolder);
  const knownDirectories = new Set<string>();
  const syncedDirectories = new SyncedDirectories(openDirectoriesMax);
  let cleanedMs = clock.monotonicMs();
  const bucket = await BucketDirectory.open(rootPath);
  await removeLeftovers().catch((error: unknown) => {
    throw fileStoreError(root, error);
  });

  async function removeLeftovers(): Promise<void> {
    const bornBeforeMs = clock.nowMs() - leftoverAgeMs;
    for (const name of await readdir(temporary).catch(noneIfUnusable)) {
      const path = join(temporary, name);
      try {
        if ((await stat(path)).mtimeMs < bornBeforeMs) await unlink(path);
      } catch (error) {
        // Another process may be cleaning up too. Where nothing may be removed, objects can still be read.
        if (!isAbsence(error) && !isRefusal(error)) throw error;
      }
    }
  }

  /** Processes that share the directory may die while this one runs. Listings are rare and in no hurry. */
  async function removeLeftoversAtTimes(): Promise<void> {
    const nowMs = clock.monotonicMs();
    if (nowMs - cleanedMs < leftoverAgeMs) return;
    cleanedMs = nowMs;
    await removeLeftovers().catch((error: unknown) => {
      throw fileStoreError(root, error);
    });
  }

  /** Creates a directory and its parents, and syncs each that got a new entry. */
  async function makeDirectory(path: string): Promise<void> {
    if (knownDirectories.has(path)) return;
    await bucket.check();
    for (const made of await makeDirectories(path)) await syncedDirectories.sync(dirname(made));
    if (knownDirectories.size >= knownDirectoriesMax) knownDirectories.clear();
    knownDirectories.add(path);
  }

  function pathOf(key: string): string {
    checkKey(key);
    if (key.startsWith(`${temporaryFolder}/`) || key === temporaryFolder) {
      throw new StoreError('invalid', key, `${temporaryFolder} is for files under way`);
    }
    if (key.startsWith(`${segmentsFolder}/`) || key === segmentsFolder)
      throw new StoreError('invalid', key, `${segmentsFolder} is for segments`);
    // Valid keys are valid paths, so nothing has to be resolved.
    return `${rootPath}${sep}${sep === '/' ? key : key.replaceAll('/', sep)}`;
  }

  /**
   * Writes a file under its final name. Content and name are synced at the same time, so that they share the work of
   * the file system. Returns false if the file exists, perhaps from an earlier attempt.
   */
  async function writeNew(
    key: string,
    content: readonly Uint8Array[],
    { signal }: CallOptions,
  ): Promise<boolean> {
    const path = pathOf(key);
    const directory = path.slice(0, path.lastIndexOf(sep));
    signal?.throwIfAborted();
    let isCreated = false;
    try {
      if (!knownDirectories.has(directory)) await makeDirectory(directory);
      await writeSyncedFile(path, joinSmallSlices(content), signal, () => {
        isCreated = true;
        return syncedDirectories.sync(directory);
      });
      return true;
    } catch (error) {
      if (isCreated) await unlink(path).catch(() => {});
      if (!isCreated && codeOf(error) === 'EEXIST') return false;
      if (!isCreated && codeOf(error) === 'ENOENT') {
        // The directory was removed meanwhile.
        knownDirectories.delete(directory);
        syncedDirectories.forget(directory);
        return false;
      }
      throw await failure(key, error);
    }
  }

  /** The error of a call. A path that is absent may mean that the whole bucket is. */
  async function failure(key: string, error: unknown): Promise<unknown> {
    if (!isAbsence(error)) return fileStoreError(key, error);
    return await bucket.check().then(
      () => fileStoreError(key, bucket.refusal ?? error),
      (missing: unknown) => missing,
    );
  }

  function newTemporaryPath(): string {
    return `${temporary}${sep}${process.pid}-${writes++}-${random.below(2 ** 32).toString(16)}`;
  }

  /** Gives a file its final name, in a directory that is made if need be, and syncs the name. */
  async function placed<Result>(
    path: string,
    place: () => Promise<Result>,
    beforePlace?: () => void,
  ): Promise<Result> {
    const directory = path.slice(0, path.lastIndexOf(sep));
    if (!knownDirectories.has(directory)) await makeDirectory(directory);
    beforePlace?.();
    let result: Result;
    try {
      result = await place();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      // The directory was removed meanwhile.
      knownDirectories.delete(directory);
      syncedDirectories.forget(directory);
      await makeDirectory(directory);
      result = await place();
    }
    await syncedDirectories.sync(directory);
    return result;
  }

  /** Writes and syncs a temporary file; `place` then gives it its final name. */
  async function writeThen<Result>(
    key: string,
    content: readonly Uint8Array[],
    { signal }: CallOptions,
    place: (temporaryPath: string, path: string) => Promise<Result>,
  ): Promise<Result> {
    const path = pathOf(key);
    signal?.throwIfAborted();
    const temporaryPath = newTemporaryPath();
    try {
      await writeSyncedFile(temporaryPath, joinSmallSlices(content), signal);
      return await placed(
        path,
        () => place(temporaryPath, path),
        () => signal?.throwIfAborted(),
      );
    } catch (error) {
      await unlink(temporaryPath).catch(() => {});
      throw await failure(key, error);
    }
  }

  async function reading<Result>(key: string, read: () => Promise<Result>): Promise<Result> {
    try {
      return await read();
    } catch (error) {
      if (!isAbsence(error)) throw fileStoreError(key, error);
      await bucket.check();
      throw new ObjectNotFound(key, { cause: error });
    }
  }

  async function remove(key: string, path: string): Promise<void> {
    try {
      const info = await stat(path);
      if (info.isFile()) await unlink(path);
    } catch (error) {
      if (!isAbsence(error)) throw fileStoreError(key, error);
      await bucket.check();
    }
  }

  return {
    async put(key, content, options = {}) {
      if (options.isNewKey === true && (await writeNew(key, content, options))) return;
      await writeThen(key, content, options, (temporaryPath, path) =>
        done((called) => rename(temporaryPath, path, called)),
      );
    },

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

    async beginUpload(key, { signal } = {}) {
      const path = pathOf(key);
      signal?.throwIfAborted();
      const temporaryPath = newTemporaryPath();
      await bucket.check();
      return await FileUpload.open(key, temporaryPath, clock, async () => {
        await placed(path, () => done((called) => rename(temporaryPath, path, called)));
      });
    },

    async getRange(key, start, end, options = {}) {
      const path = pathOf(key);
      checkRange(key, start, end);
      options.signal?.throwIfAborted();
      const range = await reading(key, () => readFileRange(path, start, end, options));
      if (range === undefined) throw new ObjectNotFound(key);
      return range;
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
      await remove(key, path);
    },

    async deleteMany(keys, { signal } = {}) {
      checkKeys(keys);
      const paths = keys.map(pathOf);
      const failed: FailedDeletion[] = [];
      for (const [index, key] of keys.entries()) {
        signal?.throwIfAborted();
        try {
          await remove(key, paths[index]!);
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          failed.push({ key, error });
        }
      }
      return unlessAllFailed(keys, failed);
    },

    async *list(prefix, options = {}) {
      await bucket.check();
      await removeLeftoversAtTimes();
      yield* listFiles(root, prefix, options);
      // A walk takes folders that went away for deleted ones.
      await bucket.check();
    },

    async close() {
      syncedDirectories.close();
    },
  };
}

function noneIfUnusable(error: unknown): readonly string[] {
  if (!isAbsence(error) && !isRefusal(error)) throw error;
  return [];
}
