import { mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreError } from '../store/store-error.ts';
import { codeOf, fileStoreError } from './file-errors.ts';
import { temporaryFolder } from './list-files.ts';
import { SyncedDirectories } from './synced-file.ts';

/**
 * The directory of a bucket, and whether it is still there. Its folder for temporary files is the mark of a bucket: the
 * mount point of a disk that is not mounted exists too, and has none. Where nothing can be written, the directory
 * itself is the mark.
 */
export class BucketDirectory {
  readonly #path: string;
  readonly #mark: string;
  /** Why nothing can be written, as far as this was known at the start. */
  readonly refusal: unknown;

  private constructor(path: string, mark: string, refusal?: unknown) {
    this.#path = path;
    this.#mark = mark;
    this.refusal = refusal;
  }

  /**
   * Opens a directory, which may be created or mounted later. A copy of a bucket may lack the mark, and gets it if it
   * has any content: an empty directory may be a mount point.
   */
  static async open(path: string): Promise<BucketDirectory> {
    const mark = join(path, temporaryFolder);
    try {
      const names = await readdir(path);
      if (names.length > 0 && !names.includes(temporaryFolder)) await mkdir(mark);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOTDIR') throw new StoreError('invalid', path, 'not a directory', { cause: error });
      if (isRefusal(error)) return new BucketDirectory(path, path, error);
      // Another process may have made it first.
      if (code !== 'ENOENT' && code !== 'EEXIST') throw fileStoreError(path, error);
    }
    return new BucketDirectory(path, mark);
  }

  /** Rejects if the bucket is not there. */
  async check(): Promise<void> {
    if (await isDirectory(this.#mark)) return;
    const problem = (await isDirectory(this.#path))
      ? `the directory has no ${temporaryFolder}, so it is not the bucket; is its disk mounted?`
      : 'the directory does not exist';
    throw new StoreError('bucketMissing', this.#path, problem);
  }
}

/** Makes a directory a bucket, and the directory if need be. It is no error if it is one. */
export async function createFileBucket(path: string): Promise<void> {
  const directories = new SyncedDirectories(1);
  try {
    for (const made of await makeDirectories(join(path, temporaryFolder)))
      await directories.sync(dirname(made));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw fileStoreError(path, error);
    throw new StoreError('invalid', path, 'no directory can be made there', { cause: error });
  } finally {
    directories.close();
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (isAbsence(error)) return false;
    throw fileStoreError(path, error);
  }
}

/**
 * Creates a directory and its parents one by one, and returns those that it created, deepest first. In an existing
 * directory where nothing can be created, such as /proc, Node's recursive mkdir takes ENOENT for a missing parent, and
 * never returns.
 */
export async function makeDirectories(path: string): Promise<string[]> {
  try {
    await mkdir(path);
    return [path];
  } catch (error) {
    const code = codeOf(error);
    // Another process may have created it, and a link to a directory counts as one.
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return [];
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
  }
  const above = await makeDirectories(dirname(path));
  try {
    await mkdir(path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  return [path, ...above];
}

/** A key below another key is as absent as one whose folder does not exist. */
export function isAbsence(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Whether the file system, or the owner of the directory, does not allow the call. */
export function isRefusal(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EACCES' || code === 'EPERM' || code === 'EROFS';
}
