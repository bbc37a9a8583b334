import { unlessAllFailed } from '../store/failed-deletions.ts';
import { inTurns } from '../store/in-turns.ts';
import type { FailedDeletion, GetOptions, ObjectInfo } from '../store/object-store.ts';
import { ObjectNotFound, StoreError } from '../store/store-error.ts';
import { type HttpResponse, isSuccess } from './response-reader.ts';

/** What stores over HTTP do alike with responses about single objects. */

type ErrorOf = (key: string, response: HttpResponse) => StoreError;

/** From the response to HEAD. */
export function infoIn(key: string, { headers }: HttpResponse): ObjectInfo {
  return {
    key,
    bytes: Number(headers.get('content-length') ?? 0),
    modifiedMs: Date.parse(headers.get('last-modified') ?? '') || 0,
  };
}

/** What a request for a range that is not empty has in addition to its headers. */
export function rangeParts(start: number, end: number, { memory }: GetOptions) {
  return { range: `bytes=${start}-${end - 1}`, bodyBytesMax: end - start, memory };
}

/** The bytes of a range; `undefined` if the response says something else. */
export function rangeIn({ status, body }: HttpResponse, start: number, end: number): Buffer | undefined {
  if (status === 206) return body;
  // The range starts after the end of the object.
  if (status === 416) return Buffer.alloc(0);
  // The server ignored the range and sent the whole object, which is no longer than the range.
  return status === 200 ? body.subarray(start, end) : undefined;
}

/** It is not an error if the object does not exist. */
export function requireDeleted(key: string, response: HttpResponse, errorOf: ErrorOf): void {
  if (isSuccess(response)) return;
  const error = errorOf(key, response);
  if (error.kind !== 'notFound') throw error;
}

/** The error of a read, for whose caller a missing object is one of its own. */
export function readError(key: string, response: HttpResponse, errorOf: ErrorOf): StoreError {
  const error = errorOf(key, response);
  return error.kind === 'notFound' ? new ObjectNotFound(key, { cause: error }) : error;
}

/** Requests at a time where a server deletes single objects only. */
const deletionsInFlightMax = 16;

/** `deleteMany` for servers without a request for many objects. Throws if not one of the keys was removed. */
export async function deleteEach(
  keys: readonly string[],
  deleteOne: (key: string) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<readonly FailedDeletion[]> {
  const failed: FailedDeletion[] = [];
  await inTurns(keys, deletionsInFlightMax, async (key) => {
    try {
      await deleteOne(key);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof StoreError)) throw error;
      failed.push({ key, error });
    }
  });
  return unlessAllFailed(keys, failed);
}
