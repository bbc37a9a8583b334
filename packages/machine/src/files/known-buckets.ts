import { bucketFact } from '@weir/cluster';
import { fileIdBucket } from '@weir/core';
import type { ClusterState } from '../cluster-state.ts';

/** Whether agents can find the bucket of a file (F11). The first bucket needs no entry. */
export function isBucketKnown({ kv }: ClusterState, fileId: string): boolean {
  const number = fileIdBucket(fileId);
  if (number === 0) return true;
  const { namespace, key } = bucketFact(number);
  return kv.get(namespace, key) !== undefined;
}
