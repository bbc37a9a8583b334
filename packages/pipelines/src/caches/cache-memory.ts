import { formatBytes } from '@weir/core';
import type { Resources } from '../component/resources.ts';
import { pipelineLimits } from '../limits.ts';

/** What the caches of one pipeline hold in memory together. */
export class CacheMemory {
  static readonly #ofPipelines = new WeakMap<Resources, CacheMemory>();
  #byteCount = 0;

  static of(resources: Resources): CacheMemory {
    const known = CacheMemory.#ofPipelines.get(resources) ?? new CacheMemory();
    CacheMemory.#ofPipelines.set(resources, known);
    return known;
  }

  /** Takes up memory, after others were freed if there is too little. Throws if that does not help. */
  take(byteCount: number, freeOldest: () => boolean): void {
    const { cacheBytesMax } = pipelineLimits;
    if (byteCount <= cacheBytesMax) while (this.#byteCount + byteCount > cacheBytesMax && freeOldest());
    if (this.#byteCount + byteCount > cacheBytesMax)
      throw new Error(`the caches of the pipeline hold at most ${formatBytes(cacheBytesMax)}`);
    this.#byteCount += byteCount;
  }

  free(byteCount: number): void {
    this.#byteCount -= byteCount;
  }
}

/** Of an entry beyond its key and its value. */
const overheadBytes = 128;

export function entryBytes(key: string, value: Buffer): number {
  if (key.length > pipelineLimits.cacheKeyBytesMax)
    throw new Error(`a key of a cache has at most ${pipelineLimits.cacheKeyBytesMax} characters`);
  return 2 * key.length + value.length + overheadBytes;
}
