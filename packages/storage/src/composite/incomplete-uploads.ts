import type { IncompleteUploads, ObjectStore } from '../store/object-store.ts';
import { isRetriableError } from '../store/store-error.ts';

/**
 * The unfinished uploads of several buckets, one bucket after the other. The index of the bucket stands before the id
 * of an upload. A bucket that does not answer is left out: its parts wait for the next look.
 */
export function mergedUploads(stores: readonly ObjectStore[]): IncompleteUploads | undefined {
  const sources = stores.map(({ incompleteUploads }) => incompleteUploads);
  if (sources.every((source) => source === undefined)) return undefined;
  return {
    async list(prefix, { from, ...options } = {}) {
      const [index, uploadId] = from === undefined ? [0, ''] : readId(from.uploadId);
      for (let bucket = index; bucket < sources.length; bucket++) {
        const source = sources[bucket];
        if (source === undefined) continue;
        const isContinued = from !== undefined && bucket === index && uploadId !== '';
        try {
          const page = await source.list(prefix, {
            ...options,
            ...(isContinued ? { from: { key: from.key, uploadId } } : {}),
          });
          const uploads = page.uploads.map((upload) => ({
            ...upload,
            uploadId: `${bucket}:${upload.uploadId}`,
          }));
          if (page.next !== undefined) {
            return { uploads, next: { key: page.next.key, uploadId: `${bucket}:${page.next.uploadId}` } };
          }
          if (bucket + 1 === sources.length) return { uploads };
          return { uploads, next: { key: '', uploadId: `${bucket + 1}:` } };
        } catch (error) {
          if (!isRetriableError(error)) throw error;
        }
      }
      return { uploads: [] };
    },
    async abort({ key, uploadId: named }, options) {
      const [bucket, uploadId] = readId(named);
      await sources[bucket]?.abort({ key, uploadId }, options);
    },
  };
}

function readId(named: string): readonly [bucket: number, uploadId: string] {
  const colon = named.indexOf(':');
  return [Number(named.slice(0, colon)), named.slice(colon + 1)];
}
