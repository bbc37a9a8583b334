import { Semaphore } from '@weir/core';
import { LogFileError, logFileKey, type ObjectStore, parseHeader } from '@weir/storage';
import { Page } from './page.ts';
import type { PageMetrics } from './page-metrics.ts';

/** Where pages of files come from: the bucket, another agent, or memory in front of either. */
export interface PageSource {
  /**
   * Page `index` of a file: `pageBytes` from `index * pageBytes` on, fewer at the end of the file and none behind it.
   * A file that does not exist is the store's `ObjectNotFound`.
   */
  read(fileId: string, index: number): Promise<Page>;
}

/** An object holds a file, but another one than its key says. */
export class ForeignFile extends Error {
  override readonly name = 'ForeignFile';
}

interface StorePagesOptions {
  readonly clusterId: () => string;
  readonly store: ObjectStore;
  readonly pageBytes: number;
  readonly readsMax: number;
  readonly metrics: PageMetrics;
}

/** Pages straight from the bucket, so many at a time. */
export function storePages({
  clusterId,
  store,
  pageBytes,
  readsMax,
  metrics,
}: StorePagesOptions): PageSource {
  const slots = new Semaphore({ permits: readsMax });
  return {
    read: (fileId, index) =>
      slots.run(async () => {
        const start = index * pageBytes;
        try {
          const bytes = await store.getRange(logFileKey(clusterId(), fileId), start, start + pageBytes);
          metrics.bucketReads.add(1);
          metrics.bucketBytes.add(bytes.length);
          if (index === 0) checkIdentity(bytes, fileId);
          return new Page([bytes]);
        } catch (error) {
          metrics.bucketFailures.add(1);
          throw error;
        }
      }),
  };
}

/**
 * The batches of another file may be intact and lie where those of this one should. A header that is no header any more says nothing
 * about the batches behind it, which have checksums of their own.
 */
function checkIdentity(firstPage: Buffer, fileId: string): void {
  try {
    const found = parseHeader(firstPage).fileId;
    if (found !== fileId) throw new ForeignFile(`the object holds file ${found}`);
  } catch (error) {
    if (!(error instanceof LogFileError)) throw error;
  }
}
