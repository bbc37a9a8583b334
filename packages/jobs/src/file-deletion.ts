import { type FilesPort, fileDeletionKind, readDeletionTask } from '@weir/cluster';
import type { Metrics } from '@weir/core';
import { logFileKey, type ObjectStore, StoreError } from '@weir/storage';
import { deadFileRows } from './dead-file-metrics.ts';
import type { JobKind } from './job-kind.ts';

interface FileDeletionOptions {
  readonly clusterId: string;
  readonly port: Pick<FilesPort, 'forgetDeadFiles'>;
  /** The bucket of the cluster, and further ones that may contain its files. */
  readonly stores: readonly ObjectStore[];
  /** Rejects if the bucket belongs to another database by now. */
  readonly checkOwner: (signal: AbortSignal) => Promise<void>;
  readonly metrics: Metrics;
}

/**
 * Deletes dead files from all buckets, and makes the cluster forget those that are gone. A file that a bucket would not
 * delete stays dead, so it is retried.
 */
export function fileDeletion({ clusterId, port, stores, checkOwner, metrics }: FileDeletionOptions): JobKind {
  const count = (outcome: string, files: number) => {
    if (files > 0) metrics.series(deadFileRows.deleted, { outcome }).add(files);
  };
  return {
    kind: fileDeletionKind,
    category: 'deadscanner',
    async run(task, { signal, progress }) {
      const fileIds = readDeletionTask(task);
      metrics.series(deadFileRows.submitted, { outcome: 'success' }).add(fileIds.length);
      progress(0, fileIds.length);
      await checkOwner(signal);
      const keys = fileIds.map((fileId) => logFileKey(clusterId, fileId));
      const failed = new Map<string, StoreError>();
      for (const store of stores) {
        for (const { key, error } of await failuresOf(store, keys, signal)) failed.set(key, error);
      }
      const gone = fileIds.filter((_, index) => !failed.has(keys[index]!));
      if (gone.length > 0) await port.forgetDeadFiles(gone);
      count('success', gone.length);
      count('failure', failed.size);
      progress(gone.length, fileIds.length);
      if (failed.size === 0) return `deleted ${gone.length} files`;
      const [{ message }] = failed.values() as unknown as [StoreError];
      throw new Error(`failed to delete ${failed.size} of ${fileIds.length} files: ${message}`);
    },
  };
}

async function failuresOf(store: ObjectStore, keys: readonly string[], signal: AbortSignal) {
  try {
    return await store.deleteMany(keys, { signal });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return keys.map((key) => ({ key, error }));
  }
}
