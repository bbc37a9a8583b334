import { isFileSequence } from '@weir/core';
import { clusterPrefix, isFileId, sequenceEndsPrefix } from '@weir/storage';
import { readSidecarKey, sidecarsPrefix } from './query/sidecar-names.ts';

type BucketObject =
  | { readonly kind: 'file'; readonly fileId: string }
  /** Columns of events of a topic. */
  | { readonly kind: 'sidecar'; readonly topicId: string }
  /** Ends the leases of a sequence of files. */
  | { readonly kind: 'sequenceEnd' }
  /** Not named as this release names objects that end: never deleted. */
  | { readonly kind: 'foreign' };

const foreign: BucketObject = { kind: 'foreign' };

/** Reads what an object below the prefix of a cluster is, by its key alone. */
export function bucketObject(clusterId: string, key: string): BucketObject {
  const prefix = clusterPrefix(clusterId);
  if (!key.startsWith(prefix)) return foreign;
  if (key.startsWith(sidecarsPrefix(clusterId))) {
    const named = readSidecarKey(key);
    return named === undefined ? foreign : { kind: 'sidecar', topicId: named.topicId };
  }
  if (key.startsWith(sequenceEndsPrefix(clusterId))) {
    const sequence = key.slice(sequenceEndsPrefix(clusterId).length);
    return isFileSequence(sequence) ? { kind: 'sequenceEnd' } : foreign;
  }
  const [folder = '', fileId = '', ...more] = key.slice(prefix.length).split('/');
  const isFile = more.length === 0 && isFileId(fileId) && fileId.endsWith(folder) && folder.length === 2;
  return isFile ? { kind: 'file', fileId } : foreign;
}
