import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Failure } from '@weir/core';

const countNames = [
  'files',
  'bytes',
  'damaged',
  'missing',
  'mismatched',
  'orphans',
  'orphanBytes',
  'dead',
] as const;

type Counts = { [Name in (typeof countNames)[number]]: number };

/** How far a scrub has come: everything up to the key is verified. */
export interface Progress extends Counts {
  readonly clusterId: string;
  lastKey: string;
}

export function newProgress(clusterId: string, lastKey: string): Progress {
  const zeros = Object.fromEntries(countNames.map((name) => [name, 0])) as Counts;
  return { clusterId, lastKey, ...zeros };
}

/** Returns `undefined` if there is no such file. */
export function readProgress(path: string, clusterId: string): Progress | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Failure(`-progress-file ${path}: ${(error as Error).message}`);
  }
  const found = parsed(text);
  if (found === undefined) throw new Failure(`-progress-file ${path}: not a progress file; use another`);
  if (found.clusterId === clusterId) return found;
  throw new Failure(`-progress-file ${path}: belongs to a scrub of ${found.clusterId}; use another`);
}

export function writeProgress(path: string, progress: Progress): void {
  writeFileSync(path, `${JSON.stringify(progress)}\n`);
}

export function removeProgress(path: string): void {
  rmSync(path, { force: true });
}

function parsed(text: string): Progress | undefined {
  try {
    const found = JSON.parse(text) as Partial<Progress>;
    const { clusterId, lastKey } = found;
    if (typeof clusterId !== 'string' || typeof lastKey !== 'string') return undefined;
    const progress = newProgress(clusterId, lastKey);
    for (const name of countNames) {
      const count = Number(found[name] ?? 0);
      if (!Number.isSafeInteger(count)) return undefined;
      progress[name] = count;
    }
    return progress;
  } catch {
    return undefined;
  }
}
