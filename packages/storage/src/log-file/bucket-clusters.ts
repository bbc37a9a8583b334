import type { ObjectInfo, ObjectStore } from '../store/object-store.ts';
import { clusterPrefix } from './file-id.ts';

const top = 'service/';

/** No ids of clusters. Tables are below the second. */
const probesName = 'probes';
const tablesName = '_tableflow';

/** The folder of probe objects: that of a cluster, or the one of processes that serve many. */
export function probesFolder(clusterId?: string): string {
  return clusterId === undefined ? `${top}${probesName}/` : `${clusterPrefix(clusterId)}${probesName}/`;
}

/** The ids of the clusters that have objects in a bucket. One request for each. */
export async function listClusterIds(store: ObjectStore): Promise<string[]> {
  const found: string[] = [];
  let startAfter: string | undefined;
  for (;;) {
    const first = await firstObject(store, top, startAfter);
    if (first === undefined) return found;
    const clusterId = first.key.split('/', 2)[1]!;
    if (clusterId !== probesName && clusterId !== tablesName) found.push(clusterId);
    // Behind every key of the cluster, because no part of a key of ours begins with a tilde.
    startAfter = `${top}${clusterId}/~`;
  }
}

/** The first object below a prefix, after a key. */
export async function firstObject(
  store: ObjectStore,
  prefix: string,
  startAfter?: string,
): Promise<ObjectInfo | undefined> {
  for await (const [first] of store.list(prefix, { startAfter })) if (first !== undefined) return first;
  return undefined;
}
