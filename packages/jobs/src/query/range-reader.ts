import type { ReadPath } from '@weir/broker';
import { Semaphore } from '@weir/core';
import { eventLimits } from '@weir/events/limits';
import { logFileKey, ObjectNotFound, type ObjectStore } from '@weir/storage';
import type { StoredRange } from './stored-ranges.ts';

interface RangeReaderOptions {
  readonly clusterId: string;
  readonly store: ObjectStore;
  readonly readPath: Pick<ReadPath, 'inMemory'>;
}

/**
 * Reads the bytes of stored ranges. Events lie among the records of all clients, in small ranges of many files; through
 * the page cache, a page of megabytes would be read for a few kilobytes. So ranges that are not in memory are read
 * exactly, and not cached.
 */
export class RangeReader {
  readonly #options: RangeReaderOptions;
  readonly #slots = new Semaphore({ permits: eventLimits.queryReadsMax });

  constructor(options: RangeReaderOptions) {
    this.#options = options;
  }

  /** Returns `undefined` for a file that no longer exists. */
  async read(
    { fileId, byteStart, byteEnd }: StoredRange,
    signal: AbortSignal,
  ): Promise<readonly Buffer[] | undefined> {
    const { clusterId, store, readPath } = this.#options;
    const held = readPath.inMemory(fileId, byteStart, byteEnd);
    if (held !== undefined) return held;
    try {
      return await this.#slots.run(async () => {
        signal.throwIfAborted();
        return [await store.getRange(logFileKey(clusterId, fileId), byteStart, byteEnd, { signal })];
      });
    } catch (error) {
      if (error instanceof ObjectNotFound) return undefined;
      throw error;
    }
  }
}
