import type { IncompleteUploads, ObjectStore } from './object-store.ts';

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
      const { startAfter: given } = options;
      const startAfter = given === undefined ? undefined : scope + given;
      for await (const page of inner.list(scope + prefix, { ...options, startAfter })) {
        yield page.map((info) => ({ ...info, key: info.key.slice(scope.length) }));
      }
    },
    ...(inner.incompleteUploads && { incompleteUploads: scopedUploads(inner.incompleteUploads, scope) }),
    close: () => inner.close(),
  };
}

function scopedUploads(inner: IncompleteUploads, scope: string): IncompleteUploads {
  const inside = <Named extends { readonly key: string }>(named: Named) => ({
    ...named,
    key: scope + named.key,
  });
  const outside = <Named extends { readonly key: string }>(named: Named) => ({
    ...named,
    key: named.key.slice(scope.length),
  });
  return {
    async list(prefix, options = {}) {
      const from = options.from && inside(options.from);
      const { uploads, next } = await inner.list(scope + prefix, { ...options, from });
      return { uploads: uploads.map(outside), next: next && outside(next) };
    },
    abort: (upload, options) => inner.abort(inside(upload), options),
  };
}
