import type { Clock } from '@weir/core';
import { type LinkedAbort, linkedAbort } from '../store/abort.ts';
import { compareKeys } from '../store/key.ts';
import type { ListOptions, ObjectInfo, ObjectStore } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';

/** An object, and which of the buckets have it, by their index. */
interface MergedObject {
  readonly info: ObjectInfo;
  readonly holders: readonly number[];
}

interface MergedPage {
  readonly objects: readonly MergedObject[];
  /** Buckets that answered up to here, by their index. An object that is not in one of the others may be there. */
  readonly answering: readonly number[];
}

interface MergedListOptions {
  readonly clock: Clock;
  /** Buckets that may fail. One that does is left out from there on. */
  readonly failuresMax: number;
  /** How long the list waits for the last `failuresMax` buckets when all others have answered. */
  readonly patienceMs: number;
}

const pageObjects = 1000;

/** Lists several buckets at a time as one, in the order of keys. */
export async function* mergedList(
  stores: readonly ObjectStore[],
  prefix: string,
  { signal, startAfter }: ListOptions,
  options: MergedListOptions,
): AsyncGenerator<MergedPage> {
  signal?.throwIfAborted();
  const cursors = stores.map((store, index) => {
    const abort = linkedAbort(signal);
    return new Cursor(index, store.list(prefix, { startAfter, signal: abort.signal }), abort);
  });
  let objects: MergedObject[] = [];
  try {
    for (;;) {
      await fill(cursors, options);
      signal?.throwIfAborted();
      const answering = cursors.filter(({ error }) => error === undefined);
      const indexes = answering.map(({ index }) => index);
      // Until one of them has to be asked for its next page.
      while (answering.every((cursor) => cursor.isEnded || cursor.current !== undefined)) {
        const merged = takeFirst(answering);
        if (merged === undefined) {
          if (objects.length > 0) yield { objects, answering: indexes };
          return;
        }
        objects.push(merged);
        if (objects.length < pageObjects) continue;
        yield { objects, answering: indexes };
        objects = [];
      }
    }
  } finally {
    for (const cursor of cursors) cursor.end();
  }
}

class Cursor {
  readonly index: number;
  isEnded = false;
  error: unknown;
  readonly #pages: AsyncIterator<readonly ObjectInfo[]>;
  readonly #abort: LinkedAbort;
  #page: readonly ObjectInfo[] = [];
  #at = 0;

  constructor(index: number, pages: AsyncIterable<readonly ObjectInfo[]>, abort: LinkedAbort) {
    this.index = index;
    this.#pages = pages[Symbol.asyncIterator]();
    this.#abort = abort;
  }

  get current(): ObjectInfo | undefined {
    return this.#page[this.#at];
  }

  get needsPage(): boolean {
    return !this.isEnded && this.error === undefined && this.current === undefined;
  }

  advance(): void {
    this.#at++;
  }

  /** Reads on until there is an object. Never rejects. */
  async fill(): Promise<void> {
    try {
      while (this.needsPage) {
        const { done, value } = await this.#pages.next();
        this.isEnded = done === true;
        this.#page = done === true ? [] : value;
        this.#at = 0;
      }
    } catch (error) {
      this.error ??= error;
    }
  }

  leaveOut(error: unknown): void {
    this.error ??= error;
    this.#abort.abort(error);
  }

  end(): void {
    const wasRunning = !this.isEnded && this.error === undefined;
    this.#abort.abort(new Error('the list has ended'));
    this.#abort.release();
    if (wasRunning) void this.#pages.return?.().catch(() => {});
  }
}

async function fill(cursors: readonly Cursor[], options: MergedListOptions): Promise<void> {
  const { clock, failuresMax, patienceMs } = options;
  const waiting = new Set(cursors.filter(({ needsPage }) => needsPage));
  const enough = Promise.withResolvers<void>();
  const failed = () => cursors.filter(({ error }) => error !== undefined).length;
  let cancel = () => {};
  function look(): void {
    if (waiting.size === 0 || failed() > failuresMax) enough.resolve();
    else if (waiting.size + failed() <= failuresMax) {
      cancel();
      cancel = clock.after(patienceMs, () => {
        for (const cursor of waiting)
          cursor.leaveOut(new StoreError('timeout', 'list', 'the other buckets answered long before'));
        enough.resolve();
      });
    }
  }
  for (const cursor of waiting) {
    void cursor.fill().then(() => {
      waiting.delete(cursor);
      look();
    });
  }
  look();
  await enough.promise;
  cancel();
  if (failed() > failuresMax) throw cursors.find(({ error }) => error !== undefined)!.error;
}

/** The object with the smallest key, of all buckets that have it. */
function takeFirst(cursors: readonly Cursor[]): MergedObject | undefined {
  let first: ObjectInfo | undefined;
  let holders: Cursor[] = [];
  for (const cursor of cursors) {
    const { current } = cursor;
    if (current === undefined) continue;
    const order = first === undefined ? -1 : compareKeys(current.key, first.key);
    if (order > 0) continue;
    if (order < 0) holders = [];
    // The newest copy decides the age, so that no copy is taken for older than it is.
    if (order < 0 || current.modifiedMs > first!.modifiedMs) first = current;
    holders.push(cursor);
  }
  if (first === undefined) return undefined;
  for (const cursor of holders) cursor.advance();
  return { info: first, holders: holders.map(({ index }) => index) };
}
