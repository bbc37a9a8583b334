import type { Page } from './page.ts';
import type { PageSource } from './page-source.ts';

export interface PageCacheOptions {
  readonly source: PageSource;
  readonly cacheBytesMax: number;
}

/**
 * Pages in memory, the least recently used dropped first. Files never change, so that a page is right for as long as it is
 * here. Everybody who wants a page that is on its way waits for the same read.
 */
export class PageCache implements PageSource {
  readonly #source: PageSource;
  readonly #cacheBytesMax: number;
  /** In the order of their last use. */
  readonly #pages = new Map<string, Page>();
  readonly #loading = new Map<string, Promise<Page>>();
  #bytes = 0;

  constructor({ source, cacheBytesMax }: PageCacheOptions) {
    this.#source = source;
    this.#cacheBytesMax = cacheBytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The page if it is here, without waiting. */
  peek(fileId: string, index: number): Page | undefined {
    const key = keyOf(fileId, index);
    const page = this.#pages.get(key);
    if (page === undefined) return undefined;
    this.#pages.delete(key);
    this.#pages.set(key, page);
    return page;
  }

  read(fileId: string, index: number): Promise<Page> {
    const page = this.peek(fileId, index);
    if (page !== undefined) return Promise.resolve(page);
    const key = keyOf(fileId, index);
    const underWay = this.#loading.get(key);
    if (underWay !== undefined) return underWay;
    const loading = this.#load(key, fileId, index);
    this.#loading.set(key, loading);
    return loading;
  }

  /** Puts in a page that somebody has anyway. */
  put(fileId: string, index: number, page: Page): void {
    this.#put(keyOf(fileId, index), page);
  }

  async #load(key: string, fileId: string, index: number): Promise<Page> {
    try {
      const page = await this.#source.read(fileId, index);
      this.#put(key, page);
      return page;
    } finally {
      this.#loading.delete(key);
    }
  }

  #put(key: string, page: Page): void {
    const before = this.#pages.get(key);
    if (before !== undefined) this.#drop(key, before);
    if (page.byteLength === 0 || page.byteLength > this.#cacheBytesMax) return;
    this.#pages.set(key, page);
    this.#bytes += page.byteLength;
    for (const [oldestKey, oldest] of this.#pages) {
      if (this.#bytes <= this.#cacheBytesMax) return;
      this.#drop(oldestKey, oldest);
    }
  }

  #drop(key: string, page: Page): void {
    this.#pages.delete(key);
    this.#bytes -= page.byteLength;
  }
}

function keyOf(fileId: string, index: number): string {
  return `${fileId}/${index}`;
}
