import type { Log } from '@weir/core';
import { LogFileError, logFileKey, type ObjectStore, parseHeader } from '@weir/storage';
import { Page } from './page.ts';
import type { PageCache } from './page-cache.ts';
import type { PageMetrics } from './page-metrics.ts';
import { Slots } from './slots.ts';

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
  const slots = new Slots({ runningMax: readsMax });
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

/** Which other agent keeps a page; `undefined` when this one does. */
export type RemotePages = (fileId: string, index: number) => PageSource | undefined;

/**
 * Asks the agent that keeps a page, and the bucket when that agent has not got it, for whatever reason. The bucket has the
 * last word on everything, so that a cache which is down, or wrong about what exists, costs time only.
 */
export function routedPages(
  cache: PageCache,
  remotePages: RemotePages,
  { log, metrics }: { readonly log: Log; readonly metrics: PageMetrics },
): PageSource {
  function own(fileId: string, index: number): Promise<Page> {
    metrics.localMisses.add(1);
    return cache.read(fileId, index);
  }
  return {
    async read(fileId, index) {
      const lender = remotePages(fileId, index);
      if (lender === undefined) return await own(fileId, index);
      try {
        const page = await cache.borrow(fileId, index, lender);
        metrics.remoteHits.add(1);
        return page;
      } catch (error) {
        // Whoever asks other agents says once for each outage that they fail; this is for those who look closer.
        log.debug('failed to read page from its keeper, reading from the bucket', {
          fileId,
          page: index,
          error: String(error),
        });
        metrics.remoteFailures.add(1);
        return await own(fileId, index);
      }
    },
  };
}
