import type { ObjectStore } from './object-store.ts';

/** A store for a folder of another one. The folder is invisible: keys are passed and returned without it. */
export function scopedStore(inner: ObjectStore, folder: string): ObjectStore {
  if (folder === '') return inner;
  const scope = `${folder}/`;
  return {
    put: (key, content, options) => inner.put(scope + key, content, options),
    putIfAbsent: (key, content, options) => inner.putIfAbsent(scope + key, content, options),
    beginUpload: (key, options) => inner.beginUpload(scope + key, options),
    getRange: (key, start, end, options) => inner.getRange(scope + key, start, end, options),
    async head(key, options) {
      const info = await inner.head(scope + key, options);
      return info && { ...info, key };
    },
    delete: (key, options) => inner.delete(scope + key, options),
    async deleteMany(keys, options) {
      const failed = await inner.deleteMany(
        keys.map((key) => scope + key),
        options,
      );
      return failed.map(({ key, error }) => ({ key: key.slice(scope.length), error }));
    },
    async *list(prefix, options = {}) {
      const { startAfter } = options;
      const behind = startAfter === undefined ? {} : { startAfter: scope + startAfter };
      for await (const page of inner.list(scope + prefix, { ...options, ...behind })) {
        yield page.map((info) => ({ ...info, key: info.key.slice(scope.length) }));
      }
    },
    close: () => inner.close(),
  };
}
