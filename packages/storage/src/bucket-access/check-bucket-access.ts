import type { Clock } from '@weir/core';
import { storageLimits } from '../limits.ts';
import type { CallOptions, ObjectInfo, ObjectStore } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';
import { type BucketNeed, permissionNames } from './permission-names.ts';

export interface BucketAccess {
  readonly store: ObjectStore;
  readonly bucketUrl: string;
  /** The folder of probe objects, with a slash at its end: `probesFolder`. */
  readonly folder: string;
  /** Unique among all processes that check the bucket. */
  readonly probeId: string;
  /** Whether objects are written and read. If not, they are only listed and deleted. */
  readonly writes: boolean;
  /** Whether objects are deleted. */
  readonly deletes: boolean;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** A probe this old was left by a process that ended during its check. */
const leftoverAgeMs = 60 * 60_000;
const leftoverName = /^[\da-f-]{36}$/;
/** The probe where nothing is deleted: one for all processes, with the same content for ever. */
const keptName = 'kept';

/**
 * Tries with a small object what a process will have to do in a bucket, and returns what is wrong, in one line without
 * the URL. The object is removed again. Where files must not be deleted, as in a bucket whose objects are immutable, it
 * is the same object for every process, and stays.
 *
 *     list    the folder of probes, where objects of ended processes may be left; these are removed at the end
 *     put     the probe
 *     get     the probe, and compare
 *     delete  the probe; if nothing is written, a key that does not exist
 */
export async function checkBucketAccess(access: BucketAccess): Promise<string | undefined> {
  const { store, folder, writes, deletes, clock } = access;
  const options = { signal: access.signal };
  const key = folder + (deletes ? access.probeId : keptName);
  const content = Buffer.from(`${key}\n`);
  let doing: BucketNeed = 'list';
  let isLeft = false;
  try {
    const found = await firstPage(store, folder, options);
    if (writes) {
      doing = 'write';
      isLeft = deletes;
      if (deletes) await store.put(key, [content], options);
      else await store.putIfAbsent(key, [content], options);
      doing = 'read';
      const read = await store.getRange(key, 0, content.length + 1, options);
      if (!read.equals(content)) return 'an object has other bytes than were just written; check the store';
    }
    doing = 'delete';
    if (deletes) {
      isLeft = false;
      await store.delete(key, options);
      const old = found.filter(isLeftover).map((info) => info.key);
      // They are in no one's way.
      if (old.length > 0) await store.deleteMany(old, options).catch(() => []);
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    // The others serve reads and writes, and deletion waits for the one that is out. The probe is a leftover by then.
    if (doing === 'delete' && store.replicas !== undefined && error.kind !== 'denied') return undefined;
    return problemOf(access.bucketUrl, doing, error);
  } finally {
    if (isLeft) await store.delete(key, options).catch(() => {});
  }

  function isLeftover(info: ObjectInfo): boolean {
    const name = info.key.slice(folder.length);
    return leftoverName.test(name) && info.modifiedMs < clock.nowMs() - leftoverAgeMs;
  }
}

async function firstPage(
  store: ObjectStore,
  prefix: string,
  options: CallOptions,
): Promise<readonly ObjectInfo[]> {
  for await (const page of store.list(prefix, options)) return page.slice(0, storageLimits.deletedKeysMax);
  return [];
}

function problemOf(bucketUrl: string, doing: BucketNeed, { kind, problem }: StoreError): string {
  const names = permissionNames(bucketUrl);
  switch (kind) {
    case 'denied':
      return `${names.subject} may not ${doing} objects (${names[doing]}): ${problem}; allow it`;
    case 'bucketMissing':
      return `bucket not found: ${problem}; create it, mount its disk, or correct the URL`;
    case 'invalid':
      return `failed to ${doing} objects: ${problem}; correct the URL`;
    case 'full':
      return `failed to ${doing} objects: ${problem}; free space or raise the quota`;
    case 'notFound':
      return 'an object is missing that was just written; check the store';
    default:
      return `failed to ${doing} objects: ${problem}; check that the store can be reached and works`;
  }
}
