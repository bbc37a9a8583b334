import { type LinkedAbort, linkedAbort, onAbort } from './abort.ts';
import { contentBytes } from './content.ts';
import type {
  IncompleteUploads,
  ListOptions,
  ObjectInfo,
  ObjectStore,
  ObjectUpload,
} from './object-store.ts';

const storeOperations = [
  'put',
  'putIfAbsent',
  'beginUpload',
  'putPart',
  'finishUpload',
  'abortUpload',
  'listUploads',
  'getRange',
  'head',
  'delete',
  'deleteMany',
  'list',
] as const;
export type StoreOperation = (typeof storeOperations)[number];

/** One call of a store, which a decorator may run later, twice, or not at all. */
export interface StoreCall<Result> {
  readonly operation: StoreOperation;
  /** The key; for a list its prefix, for many keys the first. */
  readonly key: string;
  readonly signal: AbortSignal | undefined;
  /** The size of the content; 0 for calls that write nothing. */
  readonly contentBytes: number;
  run(signal: AbortSignal | undefined): Promise<Result>;
}

export type Around = <Result>(call: StoreCall<Result>) => Promise<Result>;

/**
 * A store whose every call goes through one function. Each page of a list is a separate call, and so is each part of an
 * upload.
 */
export function aroundStore(inner: ObjectStore, around: Around): ObjectStore {
  return {
    put: (key, content, { signal, ...options } = {}) =>
      around({
        operation: 'put',
        key,
        signal,
        contentBytes: contentBytes(content),
        run: (signal) => inner.put(key, content, { ...options, ...callOptions(signal) }),
      }),
    putIfAbsent: (key, content, { signal } = {}) =>
      around({
        operation: 'putIfAbsent',
        key,
        signal,
        contentBytes: contentBytes(content),
        run: (signal) => inner.putIfAbsent(key, content, callOptions(signal)),
      }),
    beginUpload: async (key, { signal } = {}) =>
      uploadAround(
        await around({
          operation: 'beginUpload',
          key,
          signal,
          contentBytes: 0,
          run: (signal) => inner.beginUpload(key, callOptions(signal)),
        }),
        around,
        key,
      ),
    getRange: (key, start, end, { signal, ...options } = {}) =>
      around({
        operation: 'getRange',
        key,
        signal,
        contentBytes: 0,
        run: (signal) => inner.getRange(key, start, end, { ...options, ...callOptions(signal) }),
      }),
    head: (key, { signal } = {}) =>
      around({
        operation: 'head',
        key,
        signal,
        contentBytes: 0,
        run: (signal) => inner.head(key, callOptions(signal)),
      }),
    delete: (key, { signal } = {}) =>
      around({
        operation: 'delete',
        key,
        signal,
        contentBytes: 0,
        run: (signal) => inner.delete(key, callOptions(signal)),
      }),
    deleteMany: (keys, { signal } = {}) =>
      around({
        operation: 'deleteMany',
        key: keys[0] ?? '',
        signal,
        contentBytes: 0,
        run: (signal) => inner.deleteMany(keys, callOptions(signal)),
      }),
    list: (prefix, options = {}) => listAround(inner, around, prefix, options),
    ...(inner.incompleteUploads && {
      incompleteUploads: incompleteUploadsAround(inner.incompleteUploads, around),
    }),
    close: () => inner.close(),
  };
}

function incompleteUploadsAround(inner: IncompleteUploads, around: Around): IncompleteUploads {
  return {
    list: (prefix, { signal, ...options } = {}) =>
      around({
        operation: 'listUploads',
        key: prefix,
        signal,
        contentBytes: 0,
        run: (signal) => inner.list(prefix, { ...options, ...callOptions(signal) }),
      }),
    abort: (upload, { signal } = {}) =>
      around({
        operation: 'abortUpload',
        key: upload.key,
        signal,
        contentBytes: 0,
        run: (signal) => inner.abort(upload, callOptions(signal)),
      }),
  };
}

function uploadAround(inner: ObjectUpload, around: Around, key: string): ObjectUpload {
  return {
    putPart: (index, content, { signal } = {}) =>
      around({
        operation: 'putPart',
        key,
        signal,
        contentBytes: contentBytes(content),
        run: (signal) => inner.putPart(index, content, callOptions(signal)),
      }),
    finish: (partCount, { signal } = {}) =>
      around({
        operation: 'finishUpload',
        key,
        signal,
        contentBytes: 0,
        run: (signal) => inner.finish(partCount, callOptions(signal)),
      }),
    abort: ({ signal } = {}) =>
      around({
        operation: 'abortUpload',
        key,
        signal,
        contentBytes: 0,
        run: (signal) => inner.abort(callOptions(signal)),
      }),
  };
}

/**
 * An iterator that has failed returns nothing any more, so a page that is retried starts a new one after the last key
 * that was seen.
 */
async function* listAround(
  inner: ObjectStore,
  around: Around,
  prefix: string,
  { signal, startAfter }: ListOptions,
): AsyncGenerator<readonly ObjectInfo[]> {
  let lastKey = startAfter;
  let current: Iteration | undefined;

  function begin(): Iteration {
    const abort = linkedAbort(signal);
    const behind = lastKey === undefined ? {} : { startAfter: lastKey };
    return {
      pages: inner.list(prefix, { ...behind, signal: abort.signal })[Symbol.asyncIterator](),
      abort,
    };
  }

  async function nextPage(pageSignal: AbortSignal | undefined) {
    current ??= begin();
    const mine = current;
    function forget(): void {
      mine.abort.release();
      if (current === mine) current = undefined;
    }
    const release = onAbort(pageSignal, (reason) => {
      mine.abort.abort(reason);
      forget();
    });
    try {
      return await mine.pages.next();
    } catch (error) {
      forget();
      throw error;
    } finally {
      release();
    }
  }

  try {
    for (;;) {
      const page = await around({ operation: 'list', key: prefix, signal, contentBytes: 0, run: nextPage });
      if (page.done === true) return;
      lastKey = page.value.at(-1)?.key ?? lastKey;
      yield page.value;
    }
  } finally {
    current?.abort.release();
    await current?.pages.return?.();
  }
}

interface Iteration {
  readonly pages: AsyncIterator<readonly ObjectInfo[]>;
  readonly abort: LinkedAbort;
}

function callOptions(signal: AbortSignal | undefined) {
  return signal === undefined ? {} : { signal };
}
