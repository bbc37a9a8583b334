import { glob, stat } from 'node:fs/promises';

/** The files that patterns stand for, in the order of the patterns; a path without wildcards is one of itself. */
export async function filesMatching(patterns: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const pattern of patterns) {
    const found: string[] = [];
    if (!/[*?[\]{}]/.test(pattern)) found.push(pattern);
    else for await (const path of glob(pattern)) if ((await stat(path)).isFile()) found.push(path);
    files.push(...found.toSorted());
  }
  return files;
}
