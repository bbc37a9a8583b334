import { compareKeys } from '../store/key.ts';
import type { ListOptions, ObjectInfo, ObjectStore } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';

/**
 * Checks that a server lists keys of the prefix in the order of their bytes. Callers continue behind the last key that
 * they saw, and merge lists of several buckets: with another order they would take objects for missing. A server that
 * begins again and again would keep them busy for ever.
 */
export function withOrderedList(inner: ObjectStore): ObjectStore {
  return { ...inner, list: (prefix, options = {}) => orderedPages(inner, prefix, options) };
}

async function* orderedPages(
  inner: ObjectStore,
  prefix: string,
  options: ListOptions,
): AsyncGenerator<readonly ObjectInfo[]> {
  const { startAfter } = options;
  let last: string | undefined;
  for await (const page of inner.list(prefix, options)) {
    for (const { key } of page) {
      if (!key.startsWith(prefix))
        throw new StoreError('invalid', prefix, 'the store lists keys that do not begin with the prefix');
      if (last !== undefined && compareKeys(key, last) <= 0)
        throw new StoreError(
          'invalid',
          prefix,
          'the store lists keys in another order than that of their bytes',
        );
      last = key;
    }
    // Some servers do not know how to begin behind a key, and list it and those before it too.
    const behind =
      startAfter === undefined ? page : page.filter(({ key }) => compareKeys(key, startAfter) > 0);
    if (behind.length > 0) yield behind;
  }
}
