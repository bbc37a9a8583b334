import { fileIdLevel } from '@weir/core';
import { fileCommitMsMax } from '@weir/metadata';
import { clusterPrefix, isFileId, type ObjectInfo, type ObjectStore } from '@weir/storage';
import type { BackedUpMachine, RestoreAdvance } from './read-backup.ts';

/** Files that the restored metadata does not know, and that could have been committed after the recovery point. */
export interface UncommittedFiles {
  readonly fileCount: number;
  readonly byteCount: number;
  /** At most `keysMax`. */
  readonly keys: readonly string[];
}

const folderCount = 256;
const foldersAtATime = 16;
const keysMax = 100_000;

/**
 * Finds the files that an agent uploaded and of which the metadata says nothing: their commit came after the recovery
 * point, or never. The count is an upper bound of what was lost: the machine commits no file that is older than an hour
 * by its id, so older ones were never acknowledged. Ids sort by time, so one listing per folder begins there.
 *
 * Only files of the write path count; the records of a compacted file are in others too.
 */
export async function uncommittedFiles(
  store: ObjectStore,
  clusterId: string,
  fileStates: BackedUpMachine['fileStates'],
  recoveryPointMs: number,
  onAdvance?: (advance: RestoreAdvance) => void,
): Promise<UncommittedFiles> {
  const found = { fileCount: 0, byteCount: 0, keys: [] as string[] };
  const fromMs = Math.max(0, Math.floor(recoveryPointMs) - fileCommitMsMax);
  const from = fromMs.toString(16).padStart(12, '0');
  const add = (page: readonly ObjectInfo[]) => {
    const files = page.filter(({ key }) => isLevel0(key));
    const states = fileStates(files.map(({ key }) => fileIdOf(key)));
    for (const [index, { key, bytes }] of files.entries()) {
      if (states[index] !== 'unknown') continue;
      found.fileCount++;
      found.byteCount += bytes;
      if (found.keys.length < keysMax) found.keys.push(key);
    }
  };
  const folders = Array.from({ length: folderCount }, (_, byte) =>
    byte.toString(16).padStart(2, '0'),
  ).values();
  let foldersDone = 0;
  const takeTurns = async () => {
    for (const folder of folders) {
      const prefix = `${clusterPrefix(clusterId)}${folder}/`;
      for await (const page of store.list(prefix, { startAfter: `${prefix}${from}` })) add(page);
      onAdvance?.({ done: ++foldersDone, total: folderCount, unit: 'folders' });
    }
  };
  await Promise.all(Array.from({ length: foldersAtATime }, takeTurns));
  found.keys.sort((one, other) => (fileIdOf(one) < fileIdOf(other) ? -1 : 1));
  return found;
}

function fileIdOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

function isLevel0(key: string): boolean {
  const fileId = fileIdOf(key);
  return isFileId(fileId) && fileIdLevel(fileId) === 0;
}
