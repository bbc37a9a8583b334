import { checkKey, checkKeys, checkRange, compareKeys } from '../store/key.ts';
import type { ListOptions, ObjectInfo, ObjectStore } from '../store/object-store.ts';
import { ObjectNotFound } from '../store/store-error.ts';
import type { SegmentLocation, SegmentObjects } from './segment-objects.ts';

const pageObjects = 1000;

/**
 * A store of files that also has the log files which lie in segments. An object that is stored under the key of one
 * replaces it.
 */
export function withSegments(inner: ObjectStore, segments: SegmentObjects): ObjectStore {
  function infoOf(key: string, { bytes, writtenMs }: SegmentLocation): ObjectInfo {
    return { key, bytes, modifiedMs: writtenMs };
  }

  async function found(key: string): Promise<SegmentLocation | undefined> {
    const known = segments.find(key);
    if (known !== undefined) return known;
    await segments.refresh();
    return segments.find(key);
  }

  return {
    ...inner,

    async put(key, content, options) {
      await inner.put(key, content, options);
      segments.replaced(key);
    },

    async putIfAbsent(key, content, options) {
      checkKey(key);
      if ((await found(key)) !== undefined) return false;
      return await inner.putIfAbsent(key, content, options);
    },

    async beginUpload(key, options) {
      const upload = await inner.beginUpload(key, options);
      return {
        putPart: (index, content, more) => upload.putPart(index, content, more),
        async finish(partCount, more) {
          await upload.finish(partCount, more);
          segments.replaced(key);
        },
        abort: (more) => upload.abort(more),
      };
    },

    async getRange(key, start, end, options = {}) {
      checkRange(key, start, end);
      options.signal?.throwIfAborted();
      const known = segments.find(key);
      const range = known && (await segments.read(known, start, end, options));
      if (range !== undefined) return range;
      try {
        return await inner.getRange(key, start, end, options);
      } catch (error) {
        if (!(error instanceof ObjectNotFound)) throw error;
        await segments.refresh();
        const location = segments.find(key);
        const later = location && (await segments.read(location, start, end, options));
        if (later === undefined) throw error;
        return later;
      }
    },

    async head(key, options) {
      options?.signal?.throwIfAborted();
      const known = segments.find(key);
      if (known !== undefined) return infoOf(key, known);
      const info = await inner.head(key, options);
      if (info !== undefined) return info;
      await segments.refresh();
      const location = segments.find(key);
      return location && infoOf(key, location);
    },

    async delete(key, options) {
      await inner.delete(key, options);
      segments.remove(key);
    },

    async deleteMany(keys, options) {
      checkKeys(keys);
      const failed = await inner.deleteMany(keys, options);
      const left = new Set(failed.map(({ key }) => key));
      for (const key of keys) if (!left.has(key)) segments.remove(key);
      return failed;
    },

    list: (prefix, options = {}) => listBoth(inner, segments, prefix, options, infoOf),
  };
}

/** Both lists are in the order of keys. A key that is in both is listed once. */
async function* listBoth(
  inner: ObjectStore,
  segments: SegmentObjects,
  prefix: string,
  options: ListOptions,
  infoOf: (key: string, location: SegmentLocation) => ObjectInfo,
): AsyncGenerator<readonly ObjectInfo[]> {
  await segments.refresh();
  const { startAfter } = options;
  const ours: ObjectInfo[] = [];
  for (const [key, location] of segments.all()) {
    if (!key.startsWith(prefix)) continue;
    if (startAfter === undefined || compareKeys(key, startAfter) > 0) ours.push(infoOf(key, location));
  }
  ours.sort((a, b) => compareKeys(a.key, b.key));
  let next = 0;
  let page: ObjectInfo[] = [];
  for await (const infos of inner.list(prefix, options)) {
    for (const info of infos) {
      while (next < ours.length && compareKeys(ours[next]!.key, info.key) < 0) page.push(ours[next++]!);
      if (ours[next]?.key === info.key) next++;
      page.push(info);
    }
    if (page.length > 0) yield page;
    page = [];
  }
  for (; next < ours.length; next += pageObjects) yield ours.slice(next, next + pageObjects);
}
