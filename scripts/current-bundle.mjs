// Finds the bundle of the weir command. Plain JavaScript without dependencies: every command starts with it.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Describes the current bundle: its entry, and the size and time of its sources. */
export const currentName = 'current.json';

/** The path of the bundle's entry, or undefined if there is no bundle or one of its sources has changed since. */
export function currentBundle(root) {
  let current;
  try {
    current = JSON.parse(readFileSync(join(root, 'dist', currentName), 'utf8'));
  } catch {
    return undefined;
  }
  const isCurrent = current.sources.every(([path, size, modifiedMs]) => {
    const found = statSync(join(root, path), { throwIfNoEntry: false });
    return found !== undefined && found.size === size && found.mtimeMs === modifiedMs;
  });
  return isCurrent ? join(root, 'dist', current.entry) : undefined;
}
