import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { formatBytes } from '@weir/core';
import {
  clusterPrefix,
  isFileId,
  LogFileError,
  logFileKey,
  ObjectNotFound,
  type ObjectStore,
  scrubLogFile,
} from '@weir/storage';
import type { Deps } from '../deps.ts';
import { Failure } from '../failure.ts';
import { type Handler, stoppedStatus } from '../handler.ts';
import { clusterIn, withBucket } from './bucket.ts';
import { jsonLine } from './record-text.ts';

/** How far a scrub has come: everything up to the key is verified. */
interface Progress {
  readonly clusterId: string;
  lastKey: string;
  files: number;
  bytes: number;
  damaged: number;
}

/** Verifies every log file of a cluster. Ends with status 1 if one is damaged. */
export const fileScrubberTool: Handler<'cli file-scrubber'> = (values, deps) =>
  withBucket(values, deps, async (store) => {
    const { output, stop } = deps;
    const clusterId = await clusterIn(store, values.defaultVirtualClusterID);
    const path = values['progress-file'];
    const progress = (path && readProgress(path, clusterId)) || {
      clusterId,
      lastKey: clusterPrefix(clusterId),
      files: 0,
      bytes: 0,
      damaged: 0,
    };
    const isJson = values.output === 'json';
    const showProgress = progressLine(deps);
    for await (const keys of keysAfter(store, clusterId, progress.lastKey, 8 * values.concurrency)) {
      const results = await inParallel(keys, values.concurrency, stop, (key) => scrub(store, key));
      if (stop.aborted) break;
      for (const { key, bytes, problem } of results) {
        progress.files++;
        progress.bytes += bytes;
        if (problem === undefined) continue;
        progress.damaged++;
        showProgress('');
        output.out(isJson ? jsonLine({ key, problem }) : `${key}: ${problem}\n`);
      }
      progress.lastKey = keys.at(-1)!;
      if (path !== undefined) writeFileSync(path, `${JSON.stringify(progress)}\n`);
      showProgress(`${progress.files} files, ${formatBytes(progress.bytes)} verified`);
    }
    showProgress('');
    const { files, bytes, damaged } = progress;
    if (isJson) output.out(jsonLine({ cluster: clusterId, files, bytes, damaged, complete: !stop.aborted }));
    else output.out(`${files} files with ${bytes} bytes verified, ${damaged} damaged\n`);
    if (stop.aborted) return stoppedStatus;
    if (path !== undefined) rmSync(path, { force: true });
    return damaged === 0 ? 0 : 1;
  });

function readProgress(path: string, clusterId: string): Progress | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Failure(`-progress-file ${path}: ${(error as Error).message}`);
  }
  const found = parsed(text);
  if (found === undefined) throw new Failure(`-progress-file ${path}: not the file of a scrub; name another`);
  if (found.clusterId === clusterId) return found;
  throw new Failure(`-progress-file ${path}: it belongs to a scrub of ${found.clusterId}; name another`);
}

function parsed(text: string): Progress | undefined {
  try {
    const { clusterId, lastKey, files, bytes, damaged } = JSON.parse(text) as Partial<Progress>;
    if (typeof clusterId !== 'string' || typeof lastKey !== 'string') return undefined;
    const numbers = [files, bytes, damaged].map(Number);
    if (numbers.some((value) => !Number.isSafeInteger(value))) return undefined;
    return { clusterId, lastKey, files: numbers[0]!, bytes: numbers[1]!, damaged: numbers[2]! };
  } catch {
    return undefined;
  }
}

/** Keys of log files, in groups and in order. Objects with other names are left out. */
async function* keysAfter(
  store: ObjectStore,
  clusterId: string,
  startAfter: string,
  groupSize: number,
): AsyncGenerator<string[]> {
  let group: string[] = [];
  for await (const page of store.list(clusterPrefix(clusterId), { startAfter })) {
    for (const { key } of page) {
      const fileId = key.slice(key.lastIndexOf('/') + 1);
      if (!isFileId(fileId) || logFileKey(clusterId, fileId) !== key) continue;
      group.push(key);
      if (group.length < groupSize) continue;
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}

interface Scrubbed {
  readonly key: string;
  readonly bytes: number;
  readonly problem?: string;
}

async function scrub(store: ObjectStore, key: string): Promise<Scrubbed> {
  try {
    const { fileBytes } = await scrubLogFile(store, key);
    return { key, bytes: fileBytes };
  } catch (error) {
    // A file that was deleted since the listing is not damaged.
    if (error instanceof ObjectNotFound) return { key, bytes: 0 };
    if (error instanceof LogFileError) return { key, bytes: 0, problem: error.message };
    throw error;
  }
}

/** Runs the work for all items, some at a time; the results are in the order of the items. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  atATime: number,
  stop: AbortSignal,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  const left = items.entries();
  const takeTurns = async () => {
    for (const [index, item] of left) {
      if (stop.aborted) return;
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: atATime }, takeTurns));
  return results;
}

/** Overwrites one line of a terminal; prints nothing elsewhere. */
function progressLine({ output }: Deps): (text: string) => void {
  if (!output.isTerminal) return () => {};
  return (text) => output.out(`\r\u001b[K${text}`);
}
