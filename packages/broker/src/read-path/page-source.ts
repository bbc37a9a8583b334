import { fileIdOf, Semaphore } from '@weir/core';
import { LogFileError, logFileKey, type ObjectStore, parseHeader } from '@weir/storage';
import type { MemoryPool, PooledMemory } from '../slabs/memory-pool.ts';
import type { CheckedFiles } from './checked-files.ts';
import { Page } from './page.ts';
import type { PageMetrics } from './page-metrics.ts';

/** A source of pages: the bucket, another agent, or a cache in front of either. */
export interface PageSource {
  /**
   * Returns page `index` of a file, by its reference: `pageBytes` from `index * pageBytes` on, fewer at the end of the
   * file and none after it. Rejects with the store's `ObjectNotFound` if the file does not exist. The caller is a user
   * of the page and has to release it.
   */
  read(fileId: string, index: number): Promise<Page>;
}

/** The pages of the bucket, and parts of them. */
export interface BucketPages extends PageSource {
  /** Returns the bytes of a file from `start` to `end`, fewer if it ends before; else like `read`. */
  readRange(fileId: string, start: number, end: number): Promise<Page>;
}

/** The object holds another file than its key says. */
export class ForeignFile extends Error {
  override readonly name = 'ForeignFile';
}

interface StorePagesOptions {
  readonly clusterId: () => string;
  readonly store: ObjectStore;
  readonly pageBytes: number;
  readonly readsMax: number;
  readonly pool: MemoryPool;
  readonly checkedFiles: CheckedFiles;
  readonly metrics: PageMetrics;
}

/** Reads pages from the bucket, at most `readsMax` at a time. */
export function storePages({
  clusterId,
  store,
  pageBytes,
  readsMax,
  pool,
  checkedFiles,
  metrics,
}: StorePagesOptions): BucketPages {
  const slots = new Semaphore({ permits: readsMax });
  return {
    read: (fileId, index) => readRange(fileId, index * pageBytes, (index + 1) * pageBytes),
    readRange,
  };

  function readRange(fileId: string, start: number, end: number): Promise<Page> {
    return slots.run(async () => {
      // A store may request memory several times: it retries, and sends slow requests twice. What is not in the
      // result may still be written to, and is not used again.
      const given: PooledMemory[] = [];
      const memory = (bytes: number) => {
        const taken = pool.take(bytes);
        if (taken !== undefined) given.push(taken);
        return taken?.bytes ?? Buffer.allocUnsafeSlow(bytes);
      };
      const versions = new Set<string>();
      const onVersion = (version: string) => versions.add(version);
      try {
        const key = logFileKey(clusterId(), fileId);
        const bytes = await store.getRange(key, start, end, { memory, onVersion });
        metrics.bucketReads.add(1);
        metrics.bucketBytes.add(bytes.length);
        // Attempts that found different versions do not say which one the bytes are of.
        const [version] = versions;
        const checked =
          version !== undefined && versions.size === 1 ? checkedFiles.rangesOf(fileId, version) : undefined;
        if (start === 0 && checked?.isEmpty !== false) checkIdentity(bytes, fileIdOf(fileId));
        return new Page([bytes], { checked, memory: given.find((taken) => isAt(taken.bytes, bytes)) });
      } catch (error) {
        metrics.bucketFailures.add(1);
        throw error;
      }
    });
  }
}

function isAt(memory: Buffer, { buffer, byteOffset, length }: Buffer): boolean {
  return length > 0 && memory.buffer === buffer && memory.byteOffset === byteOffset;
}

/**
 * The batches of another file may be intact and lie at the same positions. An unreadable header does not matter,
 * because the batches after it have checksums of their own.
 */
function checkIdentity(firstPage: Buffer, fileId: string): void {
  try {
    const found = parseHeader(firstPage).fileId;
    if (found !== fileId) throw new ForeignFile(`the object holds file ${found}`);
  } catch (error) {
    if (!(error instanceof LogFileError)) throw error;
  }
}
