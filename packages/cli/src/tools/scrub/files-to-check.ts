import type { FilePointers } from '@weir/cluster';
import { fileIdOf } from '@weir/core';
import { clusterPrefix, isFileId, logFileKey, type ObjectInfo, type ObjectStore } from '@weir/storage';
import { type FilePointer, pointersOfFile } from './pointer-checks.ts';

/** A file that the bucket lists, that metadata refers to, or both. */
export interface FileToCheck {
  /** Files are in the order of their places. It is the key, unless the file belongs to a cluster that was cloned. */
  readonly place: string;
  readonly key: string;
  readonly fileId: string;
  /** Absent if the bucket does not list it. */
  readonly listed: ObjectInfo | undefined;
  /** Absent if metadata did not refer to it when it was read. */
  readonly referenced: { readonly fileBytes: number; readonly pointers: readonly FilePointer[] } | undefined;
}

/**
 * The metadata is read in sixteen parts, by the first digit of the folder, so that a cluster of ten million pointers
 * needs memory for a part of them beside the metadata itself.
 */
const partDigits = [...'0123456789abcdef'];
const foldersPerPart = 16;

interface MetadataOfFiles {
  pointersOfFiles(firstFolder: number, endFolder: number): FilePointers;
}

/** All files of a cluster after a place, in order and in groups. */
export async function* filesToCheck(
  store: ObjectStore,
  clusterId: string,
  metadata: MetadataOfFiles | undefined,
  startAfter: string,
  groupSize: number,
): AsyncGenerator<FileToCheck[]> {
  let group: FileToCheck[] = [];
  for (const [part, digit] of partDigits.entries()) {
    const prefix = clusterPrefix(clusterId) + digit;
    // Behind every key of the part.
    if (startAfter > `${prefix}~`) continue;
    const files = metadata?.pointersOfFiles(part * foldersPerPart, (part + 1) * foldersPerPart);
    for await (const file of merged(store, clusterId, prefix, files, startAfter)) {
      group.push(file);
      if (group.length < groupSize) continue;
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}

async function* merged(
  store: ObjectStore,
  clusterId: string,
  prefix: string,
  files: FilePointers | undefined,
  startAfter: string,
): AsyncGenerator<FileToCheck> {
  const placeOf = (reference: string) => logFileKey(clusterId, fileIdOf(reference));
  const known = files === undefined ? [] : files.fileId.map(placeOf);
  let next = known.findIndex((place) => place > startAfter);
  if (next < 0) next = known.length;
  const referenced = (index: number) => ({
    fileBytes: files!.fileBytes[index]!,
    pointers: pointersOfFile(files!, index),
  });
  const unlisted = (index: number): FileToCheck => ({
    place: known[index]!,
    key: logFileKey(clusterId, files!.fileId[index]!),
    fileId: fileIdOf(files!.fileId[index]!),
    listed: undefined,
    referenced: referenced(index),
  });
  for await (const page of store.list(prefix, startAfter > prefix ? { startAfter } : {})) {
    for (const listed of page) {
      const { key } = listed;
      const fileId = key.slice(key.lastIndexOf('/') + 1);
      if (!isFileId(fileId) || logFileKey(clusterId, fileId) !== key) continue;
      while (next < known.length && known[next]! < key) yield unlisted(next++);
      const isKnown = known[next] === key;
      yield { place: key, key, fileId, listed, referenced: isKnown ? referenced(next++) : undefined };
    }
  }
  while (next < known.length) yield unlisted(next++);
}
