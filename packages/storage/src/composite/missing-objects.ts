import type { ObjectInfo, ObjectStore } from '../store/object-store.ts';
import { ObjectNotFound } from '../store/store-error.ts';

/** `head` that throws `ObjectNotFound`, so that another bucket is asked. */
export async function infoOf(store: ObjectStore, key: string, signal: AbortSignal): Promise<ObjectInfo> {
  const info = await store.head(key, { signal });
  if (info === undefined) throw new ObjectNotFound(key);
  return info;
}

/** `undefined` instead of `ObjectNotFound`, once all buckets were asked. */
export async function unlessMissing<Result>(read: Promise<Result>): Promise<Result | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ObjectNotFound) return undefined;
    throw error;
  }
}
