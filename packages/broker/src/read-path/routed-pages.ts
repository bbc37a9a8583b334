import type { Log } from '@weir/core';
import type { Page } from './page.ts';
import type { PageCache } from './page-cache.ts';
import type { PageMetrics } from './page-metrics.ts';
import type { PageSource } from './page-source.ts';

/** The keeper of a page; `undefined` if it is this agent. */
export type RemotePages = (fileId: string, index: number) => PageSource | undefined;

/**
 * Reads a page from its keeper, and from the bucket if that fails for any reason. The bucket is authoritative, so a
 * keeper that is down or wrong costs only time.
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
        // The page exchange warns once per outage; this line has the details.
        log.debug('failed to read page from its owner, reading from the bucket', {
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
