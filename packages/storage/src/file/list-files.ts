import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { compareKeys } from '../store/key.ts';
import type { ListOptions, ObjectInfo } from '../store/object-store.ts';
import { codeOf, fileStoreError } from './file-errors.ts';

/** Files under way lie here, beside the objects, because a rename does not leave its file system. */
export const temporaryFolder = '.weir-tmp';

const pageObjects = 1000;

/**
 * Walks the tree in the order of keys. A directory sorts with a slash behind its name, as it does in the keys of its files,
 * so that `a.b` stands in front of what is in `a`, and `a0` behind it.
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
        if (mayMatch && isBehind && key !== `${temporaryFolder}/`) yield* walk(key);
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

/** What was deleted while we looked is not in the list. */
function unlessGone(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
