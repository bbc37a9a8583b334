import type { Page } from './page.ts';
import type { PageSource } from './page-source.ts';

interface PageCacheOptions {
  /** The bucket. */
  readonly source: PageSource;
  readonly cacheBytesMax: number;
}

/**
 * Borrowed pages may take one part in this many: enough to read each once, and the rest is left to the pages that this
 * agent keeps for others.
 */
const borrowedPart = 4;

/**
 * Pages in memory with LRU eviction. Files never change, so a cached page is always valid. Concurrent reads of a page
 * share one load.
 *
 * Pages from the bucket are this agent's own. Pages from their keeper are borrowed and get a smaller part: if every
 * agent of a zone cached all pages that it reads, all of them together would cache no more than one.
 */
export class PageCache implements PageSource {
  readonly #source: PageSource;
  readonly #cacheBytesMax: number;
  readonly #own = new LruPages();
  readonly #borrowed = new LruPages();
  readonly #reloading = new Map<string, Load>();

  constructor({ source, cacheBytesMax }: PageCacheOptions) {
    this.#source = source;
    this.#cacheBytesMax = cacheBytesMax;
  }

  get bytes(): number {
    return this.#own.bytes + this.#borrowed.bytes;
  }

  /**
   * Returns the page if it is in memory, without waiting. The cache may drop it at any time, so a caller that uses it
   * later than now has to retain it.
   */
  peek(fileId: string, index: number): Page | undefined {
    const key = keyOf(fileId, index);
    return this.#own.use(key) ?? this.#borrowed.use(key);
  }

  /** Whether the page is in memory or being loaded. */
  expects(fileId: string, index: number): boolean {
    const key = keyOf(fileId, index);
    return this.#own.expects(key) || this.#borrowed.expects(key);
  }

  /** Returns the page from memory, else from the bucket. */
  read(fileId: string, index: number): Promise<Page> {
    return this.#read(this.#own, this.#source, fileId, index);
  }

  /** Returns the page from memory, else from another agent. */
  borrow(fileId: string, index: number, lender: PageSource): Promise<Page> {
    return this.#read(this.#borrowed, lender, fileId, index);
  }

  /** Reads the page from the bucket in any case and replaces the cached one. */
  reload(fileId: string, index: number): Promise<Page> {
    return this.#load(this.#reloading, this.#own, this.#source, fileId, index);
  }

  /** Adds a page that the caller already has, and whose use it passes on. */
  put(fileId: string, index: number, page: Page): void {
    this.#put(this.#own, keyOf(fileId, index), page);
  }

  #read(pages: LruPages, source: PageSource, fileId: string, index: number): Promise<Page> {
    const page = this.peek(fileId, index);
    if (page !== undefined) return Promise.resolve(page.retain());
    return this.#load(pages.loading, pages, source, fileId, index);
  }

  /** All readers that come before the page does share one load, and each gets a use of the page. */
  #load(
    loads: Map<string, Load>,
    pages: LruPages,
    source: PageSource,
    fileId: string,
    index: number,
  ): Promise<Page> {
    const key = keyOf(fileId, index);
    const underWay = loads.get(key);
    if (underWay !== undefined) {
      underWay.readers++;
      return underWay.page;
    }
    const { promise, resolve, reject } = Promise.withResolvers<Page>();
    const load: Load = { page: promise, readers: 1 };
    loads.set(key, load);
    source.read(fileId, index).then(
      (page) => {
        loads.delete(key);
        for (let reader = 0; reader < load.readers; reader++) page.retain();
        this.#put(pages, key, page);
        resolve(page);
      },
      (error: unknown) => {
        loads.delete(key);
        reject(error);
      },
    );
    return promise;
  }

  #put(pages: LruPages, key: string, page: Page): void {
    this.#own.drop(key);
    this.#borrowed.drop(key);
    if (page.byteLength === 0 || page.byteLength > this.#cacheBytesMax) {
      page.release();
      return;
    }
    pages.add(key, page);
    while (this.#borrowed.bytes > this.#cacheBytesMax / borrowedPart) this.#borrowed.dropOldest();
    while (this.bytes > this.#cacheBytesMax) {
      if (!this.#own.dropOldest()) this.#borrowed.dropOldest();
    }
  }
}

/** A page that is being loaded, and how many wait for it. */
interface Load {
  readonly page: Promise<Page>;
  readers: number;
}

/** Pages in the order of their last use, each used by the cache, and those being loaded. */
class LruPages {
  readonly loading = new Map<string, Load>();
  readonly #pages = new Map<string, Page>();
  bytes = 0;

  expects(key: string): boolean {
    return this.#pages.has(key) || this.loading.has(key);
  }

  use(key: string): Page | undefined {
    const page = this.#pages.get(key);
    if (page === undefined) return undefined;
    this.#pages.delete(key);
    this.#pages.set(key, page);
    return page;
  }

  add(key: string, page: Page): void {
    this.#pages.set(key, page);
    this.bytes += page.byteLength;
  }

  drop(key: string): void {
    const page = this.#pages.get(key);
    if (page === undefined) return;
    this.#pages.delete(key);
    this.bytes -= page.byteLength;
    page.release();
  }

  /** Returns false if there is none. */
  dropOldest(): boolean {
    for (const key of this.#pages.keys()) {
      this.drop(key);
      return true;
    }
    return false;
  }
}

/** Most files are one page, whose key need not be built. */
function keyOf(fileId: string, index: number): string {
  if (index === 0) return fileId;
  return `${fileId}/${index}`;
}
