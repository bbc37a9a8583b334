import { checkKey } from '../store/key.ts';
import { StoreError } from '../store/store-error.ts';

/** The name of folders with the parts of uploads that are not finished. No list shows what is in them. */
const partFolderName = '.weir-uploads';

/**
 * How many folders of a key come before that of its parts: rights to `service/<cluster id>/` then include the parts of
 * the cluster's files, and a search for unfinished uploads of a cluster looks at one folder.
 */
export const partFolderDepth = 2;

/** Whether a name is that of a part. */
export function isPart(name: string): boolean {
  return name.startsWith(`${partFolderName}/`) || name.includes(`/${partFolderName}/`);
}

/** Checks a key, which may not be in a folder of parts. */
export function checkGsKey(key: string): void {
  checkKey(key);
  if (isPart(key) || key === partFolderName || key.endsWith(`/${partFolderName}`)) {
    throw new StoreError('invalid', JSON.stringify(key), `a key may have no segment ${partFolderName}`);
  }
  if (key.startsWith('.well-known/acme-challenge/')) {
    throw new StoreError(
      'invalid',
      JSON.stringify(key),
      'Google accepts no objects below .well-known/acme-challenge/',
    );
  }
}

/** The folder of the parts of a key's uploads. `top` is the folder of the URL: empty, or with a slash at its end. */
export function partFolderOf(top: string, key: string): string {
  return partFolderIn(top, foldersOf(top, key).slice(0, partFolderDepth));
}

export function partFolderIn(top: string, folders: readonly string[]): string {
  return `${[top, ...folders.map((name) => `${name}/`)].join('')}${partFolderName}/`;
}

/** The folders that are complete in a key or in the beginning of one. */
export function foldersOf(top: string, keyOrPrefix: string): readonly string[] {
  return keyOrPrefix.slice(top.length).split('/').slice(0, -1);
}
