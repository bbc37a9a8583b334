import type { Log } from '@weir/core';
import { logFileKey, type ObjectStore } from '@weir/storage';
import { Page } from './page.ts';

/** Where pages of files come from: the bucket, another agent, or memory in front of either. */
export interface PageSource {
  /**
   * Page `index` of a file: `pageBytes` from `index * pageBytes` on, fewer at the end of the file and none behind it.
   * A file that does not exist is the store's `ObjectNotFound`.
   */
  read(fileId: string, index: number): Promise<Page>;
}

export interface StorePagesOptions {
  readonly clusterId: () => string;
  readonly store: ObjectStore;
  readonly pageBytes: number;
  readonly readsMax: number;
}

/** Pages straight from the bucket, so many at a time. */
export function storePages({ clusterId, store, pageBytes, readsMax }: StorePagesOptions): PageSource {
  let reads = 0;
  const waiting: (() => void)[] = [];
  return {
    async read(fileId, index) {
      if (reads >= readsMax) await new Promise<void>((resolve) => waiting.push(resolve));
      else reads++;
      try {
        const start = index * pageBytes;
        return new Page([await store.getRange(logFileKey(clusterId(), fileId), start, start + pageBytes)]);
      } finally {
        // Whoever waits inherits the place, so that it is never free for somebody who came later.
        const next = waiting.shift();
        if (next === undefined) reads--;
        else next();
      }
    },
  };
}

/** Which other agent keeps a page; `undefined` when this one does. */
export type RemotePages = (fileId: string, index: number) => PageSource | undefined;

/** Asks the agent that keeps a page, and the bucket when that agent fails: a cache that is down must cost time only. */
export function routedPages(own: PageSource, remotePages: RemotePages, log: Log): PageSource {
  return {
    async read(fileId, index) {
      const remote = remotePages(fileId, index);
      if (remote === undefined) return own.read(fileId, index);
      try {
        return await remote.read(fileId, index);
      } catch (error) {
        log.warn('another agent could not give a page', { fileId, page: index, error: String(error) });
        return own.read(fileId, index);
      }
    },
  };
}
