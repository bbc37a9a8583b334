import { type LinkedAbort, linkedAbort, onAbort } from './abort.ts';
import { contentBytes } from './content.ts';
import type {
  CallOptions,
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

type Send = <Result>(
  operation: StoreOperation,
  key: string,
  options: CallOptions | undefined,
  run: (options: CallOptions) => Promise<Result>,
  content?: readonly Uint8Array[],
) => Promise<Result>;

/**
 * A store whose every call goes through one function. Each page of a list is a separate call, and so is each part of an
 * upload.
 */
export function aroundStore(inner: ObjectStore, around: Around): ObjectStore {
  const send: Send = (operation, key, options, run, content = []) =>
    around({
      operation,
      key,
      signal: options?.signal,
      contentBytes: contentBytes(content),
      run: (signal) => run({ ...options, signal }),
    });
  return {
    put: (key, content, options) =>
      send('put', key, options, (given) => inner.put(key, content, given), content),
    putIfAbsent: (key, content, options) =>
      send('putIfAbsent', key, options, (given) => inner.putIfAbsent(key, content, given), content),
    beginUpload: async (key, options) => {
      const upload = await send('beginUpload', key, options, (given) => inner.beginUpload(key, given));
      return uploadAround(upload, send, key);
    },
    getRange: (key, start, end, options) =>
      send('getRange', key, options, (given) => inner.getRange(key, start, end, given)),
    head: (key, options) => send('head', key, options, (given) => inner.head(key, given)),
    delete: (key, options) => send('delete', key, options, (given) => inner.delete(key, given)),
    deleteMany: (keys, options) =>
      send('deleteMany', keys[0] ?? '', options, (given) => inner.deleteMany(keys, given)),
    list: (prefix, options = {}) => listAround(inner, around, prefix, options),
    ...(inner.incompleteUploads && {
      incompleteUploads: incompleteUploadsAround(inner.incompleteUploads, send),
    }),
    close: () => inner.close(),
  };
}

function incompleteUploadsAround(inner: IncompleteUploads, send: Send): IncompleteUploads {
  return {
    list: (prefix, options) => send('listUploads', prefix, options, (given) => inner.list(prefix, given)),
    abort: (upload, options) =>
      send('abortUpload', upload.key, options, (given) => inner.abort(upload, given)),
  };
}

function uploadAround(inner: ObjectUpload, send: Send, key: string): ObjectUpload {
  return {
    putPart: (index, content, options) =>
      send('putPart', key, options, (given) => inner.putPart(index, content, given), content),
    finish: (partCount, options) =>
      send('finishUpload', key, options, (given) => inner.finish(partCount, given)),
    abort: (options) => send('abortUpload', key, options, (given) => inner.abort(given)),
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
    const pages = inner.list(prefix, { startAfter: lastKey, signal: abort.signal });
    return { pages: pages[Symbol.asyncIterator](), abort };
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
