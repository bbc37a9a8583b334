import { Semaphore } from '@weir/core';
import { eventLimits } from '@weir/events/limits';
import { logFileKey, ObjectNotFound, type ObjectStore } from '@weir/storage';
import type { ReadPath } from '../read-path/read-path.ts';
import type { StoredRange } from './stored-ranges.ts';

interface RangeReaderOptions {
  readonly clusterId: string;
  readonly store: ObjectStore;
  readonly readPath: Pick<ReadPath, 'inMemory'>;
}

/**
 * The bytes of stored ranges. Events lie among the records of everybody in small ranges of many files, so that pages of megabytes, as clients are
 * served from, would be read for some kilobytes each: what is not in memory is read as it is, and nothing is kept of it.
 */
export class RangeReader {
  readonly #options: RangeReaderOptions;
  readonly #slots = new Semaphore({ permits: eventLimits.queryReadsMax });

  constructor(options: RangeReaderOptions) {
    this.#options = options;
  }

  /** `undefined` for a file that is not there any more. */
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
