import type { Clock, Metrics } from '@weir/core';
import { clusterPrefix, type ObjectStore, StoreError } from '@weir/storage';
import { bucketObject } from './bucket-object.ts';
import { deadFileRows } from './dead-file-metrics.ts';
import { jobLimits } from './limits.ts';

interface IncompleteUploadsOptions {
  readonly clusterId: string;
  /** Whether uploads are aborted, or only counted. */
  readonly aborts: boolean;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/**
 * Aborts uploads of files that a merge began and whose process died: S3 keeps their parts, which are no objects, and
 * charges for them. Returns how many it aborted, or why the store did not let it: a policy need not allow this, and
 * then a rule of the bucket does the same.
 */
export async function abortIncompleteUploads(
  store: ObjectStore,
  { clusterId, aborts, clock, metrics }: IncompleteUploadsOptions,
  signal: AbortSignal,
): Promise<number | StoreError> {
  const { incompleteUploads } = store;
  if (incompleteUploads === undefined) return 0;
  const count = (outcome: string) => metrics.series(deadFileRows.uploads, { outcome }).add(1);
  const begunBeforeMs = clock.nowMs() - jobLimits.incompleteUploadAgeMsMin;
  let aborted = 0;
  try {
    let from: Awaited<ReturnType<typeof incompleteUploads.list>>['next'];
    do {
      const page = await incompleteUploads.list(clusterPrefix(clusterId), { signal, from });
      for (const upload of page.uploads) {
        if (bucketObject(clusterId, upload.key).kind !== 'file') count('foreign');
        else if (upload.begunMs > begunBeforeMs) count('young');
        else if (!aborts) count('left');
        else {
          await incompleteUploads.abort(upload, { signal });
          aborted++;
          count('aborted');
        }
      }
      from = page.next;
    } while (from !== undefined);
  } catch (error) {
    if (!(error instanceof StoreError && error.kind === 'denied')) throw error;
    count('denied');
    return error;
  }
  return aborted;
}
