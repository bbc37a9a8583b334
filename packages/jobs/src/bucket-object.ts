import { clusterPrefix, isFileId } from '@weir/storage';
import { readSidecarKey, sidecarsPrefix } from './query/sidecar-names.ts';

type BucketObject =
  | { readonly kind: 'file'; readonly fileId: string }
  /** Columns of events of a topic. */
  | { readonly kind: 'sidecar'; readonly topicId: string }
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
  const [folder = '', fileId = '', ...more] = key.slice(prefix.length).split('/');
  const isFile = more.length === 0 && isFileId(fileId) && fileId.endsWith(folder) && folder.length === 2;
  return isFile ? { kind: 'file', fileId } : foreign;
}
