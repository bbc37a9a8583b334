import type { FilePointers } from '@weir/cluster';
import { fileIdBucket, fileIdOf } from '@weir/core';
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
  /** The number of the bucket that is verified. Files that lie in others are left out. */
  readonly bucket: number;
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
    for await (const file of merged(store, clusterId, prefix, files, metadata?.bucket, startAfter)) {
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
  bucket: number | undefined,
  startAfter: string,
): AsyncGenerator<FileToCheck> {
  const placeOf = (reference: string) => logFileKey(clusterId, fileIdOf(reference));
  /** Indices of the files that lie in this bucket. */
  const rows = [...(files?.fileId.keys() ?? [])].filter(
    (row) => fileIdBucket(files!.fileId[row]!) === bucket,
  );
  const known = rows.map((row) => placeOf(files!.fileId[row]!));
  let next = known.findIndex((place) => place > startAfter);
  if (next < 0) next = known.length;
  const referenced = (index: number) => ({
    fileBytes: files!.fileBytes[rows[index]!]!,
    pointers: pointersOfFile(files!, rows[index]!),
  });
  const unlisted = (index: number): FileToCheck => ({
    place: known[index]!,
    key: logFileKey(clusterId, files!.fileId[rows[index]!]!),
    fileId: fileIdOf(files!.fileId[rows[index]!]!),
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
