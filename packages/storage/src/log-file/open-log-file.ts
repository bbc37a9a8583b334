import type { CallOptions, ObjectStore } from '../store/object-store.ts';
import { type LogFile, parseLogFile, readLogFile } from './read-log-file.ts';
import type { RangeSource } from './section-batches.ts';

interface OpenOptions extends CallOptions {
  /** The size of the file, as a list said. */
  readonly listedBytes: number;
  /** A file that is smaller is read whole. */
  readonly wholeBytesMax: number;
}

interface OpenLogFile extends Pick<LogFile, 'fileBytes' | 'sections'> {
  /** Where `readSectionBatches` gets the batches from. */
  readonly source: RangeSource;
}

/**
 * Opens a file all of whose batches will be read. A small one costs one request, which returns all of it; a larger one
 * is read piece by piece, as memory for it is not bounded otherwise.
 */
export async function openLogFile(
  store: ObjectStore,
  key: string,
  { listedBytes, wholeBytesMax, signal }: OpenOptions,
): Promise<OpenLogFile> {
  if (listedBytes < wholeBytesMax) {
    // Not the size of the list: a store may show a part of an object that is being stored.
    const bytes = await store.getRange(key, 0, wholeBytesMax, { signal });
    if (bytes.length < wholeBytesMax) return { ...parseLogFile(bytes), source: inMemory(bytes) };
  }
  return { ...(await readLogFile(store, key, { signal })), source: store };
}

function inMemory(bytes: Buffer): RangeSource {
  return { getRange: async (_key, start, end) => bytes.subarray(start, end) };
}
