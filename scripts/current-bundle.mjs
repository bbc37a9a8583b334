// Finds the bundle of the weir command. Plain JavaScript without dependencies: every command starts with it.
import { createRequire } from 'node:module';
import { join } from 'node:path';

// An import would load the streams of `node:fs` too.
const { readFileSync, statSync } = createRequire(import.meta.url)('node:fs');

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
  // Thousands of files: joining paths and making options for each takes as long as asking for its size and time.
  const options = { throwIfNoEntry: false };
  const isCurrent = current.sources.every(([path, size, modifiedMs]) => {
    const found = statSync(`${root}/${path}`, options);
    return found !== undefined && found.size === size && found.mtimeMs === modifiedMs;
  });
  return isCurrent ? join(root, 'dist', current.entry) : undefined;
}
