import { ObjectNotFound, type ObjectStore, UploadWriter } from '@weir/storage';
import { InvalidTable } from '../table-errors.ts';
import { commonUri } from './common-uri.ts';
import type { DataFiles } from './data-files.ts';
import type { ListedFile, TableFiles } from './table-files.ts';

const deletedKeysMax = 1000;

/** Parts of a data file that are stored at the same time. */
const partsInFlightMax = 2;

/**
 * Files of tables in a bucket. `root` is the URI of the bucket with its prefix, such as `s3://lake/weir`, as other
 * programs write it; files outside of it are refused.
 */
export function storeFiles(store: ObjectStore, root: string): TableFiles {
  const keyOf = keysBelow(root);
  return {
    async read(path, bytesMax) {
      try {
        const content = await store.getRange(keyOf(path), 0, bytesMax + 1);
        if (content.length > bytesMax)
          throw new InvalidTable(`${path}: the file is larger than ${bytesMax} bytes`);
        return content;
      } catch (error) {
        if (error instanceof ObjectNotFound) return undefined;
        throw error;
      }
    },
    write: (path, content) => store.put(keyOf(path), [content]),
    writeIfAbsent: (path, content) => store.putIfAbsent(keyOf(path), [content]),
    replace: (path, content) => store.put(keyOf(path), [content]),
    async delete(paths) {
      for (let at = 0; at < paths.length; at += deletedKeysMax) {
        const failed = await store.deleteMany(paths.slice(at, at + deletedKeysMax).map(keyOf));
        if (failed[0] !== undefined) throw failed[0].error;
      }
    },
    async *list(prefix) {
      const start = keyOf(prefix);
      // Paths begin as the caller wrote the prefix.
      for await (const page of store.list(start))
        yield page.map(
          ({ key, bytes, modifiedMs }): ListedFile => ({
            path: prefix + key.slice(start.length),
            bytes,
            modifiedMs,
          }),
        );
    },
  };
}

/** Data files in a bucket, as `storeFiles` has the others. */
export function storeDataFiles(store: ObjectStore, root: string): DataFiles {
  const keyOf = keysBelow(root);
  return {
    async readRange(path, start, end, signal) {
      try {
        return await store.getRange(keyOf(path), start, end, { signal });
      } catch (error) {
        if (error instanceof ObjectNotFound) return undefined;
        throw error;
      }
    },
    async beginWrite(path, signal) {
      const upload = await store.beginUpload(keyOf(path), { signal });
      return new UploadWriter(upload, { partsInFlightMax, signal });
    },
  };
}

function keysBelow(root: string): (path: string) => string {
  const base = `${commonUri(root).replace(/\/+$/, '')}/`;
  return (path) => {
    const common = commonUri(path);
    if (!common.startsWith(base)) throw new InvalidTable(`${path}: the file is outside of ${root}`);
    return common.slice(base.length);
  };
}
