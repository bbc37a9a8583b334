import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Ways to damage a file in a bucket; the last one changes a byte of the value in it. */
export const fileDamages: readonly ((path: string, value: string) => void)[] = [
  (path) => rmSync(path),
  (path) => writeFileSync(path, ''),
  (path, value) => {
    const content = readFileSync(path);
    content[content.indexOf(value)]! ^= 1;
    writeFileSync(path, content);
  },
];

/** Returns the one file below a folder that contains a value. */
export function fileOf(folder: string, value: string): string {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const found = paths.filter((path) => readFileSync(path).includes(value));
  assert.equal(found.length, 1, `files that hold ${value}`);
  return found[0]!;
}
