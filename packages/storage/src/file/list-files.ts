import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { compareKeys } from '../store/key.ts';
import type { ListOptions, ObjectInfo } from '../store/object-store.ts';
import { codeOf, fileStoreError } from './file-errors.ts';

/** Unfinished files are here, beside the objects, because a rename works only within one file system. */
export const temporaryFolder = '.weir-tmp';

/** Segments with log files are here (`../segments/`). */
export const segmentsFolder = '.weir-segments';

const hiddenFolders: ReadonlySet<string> = new Set([`${temporaryFolder}/`, `${segmentsFolder}/`]);

const pageObjects = 1000;

/**
 * Walks the tree in the order of keys. A directory sorts with a slash after its name, as in the keys of its files, so
 * that `a.b` comes before the content of `a`, and `a0` after it.
 */
export async function* listFiles(
  root: string,
  prefix: string,
  { startAfter, signal }: ListOptions,
): AsyncGenerator<readonly ObjectInfo[]> {
  let page: ObjectInfo[] = [];

  async function* walk(folder: string): AsyncGenerator<ObjectInfo> {
    for (const { name, isFolder } of await entriesOf(join(root, folder))) {
      signal?.throwIfAborted();
      const key = `${folder}${name}${isFolder ? '/' : ''}`;
      if (isFolder) {
        const mayMatch = key.startsWith(prefix) || prefix.startsWith(key);
        const isBehind =
          startAfter === undefined || startAfter.startsWith(key) || compareKeys(key, startAfter) > 0;
        if (mayMatch && isBehind && !hiddenFolders.has(key)) yield* walk(key);
        continue;
      }
      if (!key.startsWith(prefix)) continue;
      if (startAfter !== undefined && compareKeys(key, startAfter) <= 0) continue;
      const info = await stat(join(root, key)).catch(unlessGone);
      if (info !== undefined) yield { key, bytes: info.size, modifiedMs: Math.floor(info.mtimeMs) };
    }
  }

  try {
    for await (const info of walk('')) {
      page.push(info);
      if (page.length < pageObjects) continue;
      yield page;
      page = [];
    }
  } catch (error) {
    throw fileStoreError(prefix, error);
  }
  if (page.length > 0) yield page;
}

async function entriesOf(path: string): Promise<{ name: string; isFolder: boolean }[]> {
  const entries: Dirent[] = (await readdir(path, { withFileTypes: true }).catch(unlessGone)) ?? [];
  return entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
    .sort((a, b) => compareKeys(sortName(a), sortName(b)));
}

function sortName({ name, isFolder }: { name: string; isFolder: boolean }): string {
  return isFolder ? `${name}/` : name;
}

/** Objects that were deleted during the walk are not listed. */
function unlessGone(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
