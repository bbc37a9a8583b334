import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of a release: bytes, a symbolic link, or a folder with rights of its own, whose path ends with a slash. */
export type ReleaseFile =
  | { readonly path: string; readonly bytes: Uint8Array; readonly isProgram?: boolean }
  | { readonly path: string; readonly linkTo: string }
  | { readonly path: string; readonly folderMode: number; readonly owner: number };

/** Names in the order of their bytes, whatever the language of the machine is. */
export function inOrder<Item extends { readonly path: string }>(files: Iterable<Item>): Item[] {
  return [...files].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

/** The files below a folder, as files of a release below `into`. */
export function filesBelow(
  folder: string,
  into: string,
  isWanted: (path: string) => boolean = () => true,
): ReleaseFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter(isWanted)
    .map((path) => ({ path: `${into}/${path}`, ...fileAt(join(folder, path)) }));
}

export function fileAt(path: string): { readonly bytes: Uint8Array; readonly isProgram: boolean } {
  return { bytes: readFileSync(path), isProgram: (lstatSync(path).mode & 0o100) !== 0 };
}

export function textFile(path: string, text: string): ReleaseFile {
  return { path, bytes: Buffer.from(text) };
}

/** The same files below a folder. */
export function movedInto(folder: string, files: readonly ReleaseFile[]): ReleaseFile[] {
  return files.map((file) => ({ ...file, path: `${folder}/${file.path}` }));
}
