import { unlessAllFailed } from '../store/failed-deletions.ts';
import { inTurns } from '../store/in-turns.ts';
import type { FailedDeletion, GetOptions, ObjectAttributes, ObjectInfo } from '../store/object-store.ts';
import { ObjectNotFound, StoreError } from '../store/store-error.ts';
import { type HttpResponse, isSuccess } from './response-reader.ts';

/** What stores over HTTP do alike with responses about single objects. */

type ErrorOf = (key: string, response: HttpResponse) => StoreError;

/** From the response to HEAD. Headers with the prefix are metadata of users. */
export function infoIn(key: string, { headers }: HttpResponse, metadataPrefix: string): ObjectInfo {
  const metadata: Record<string, string> = {};
  for (const [name, value] of headers)
    if (name.startsWith(metadataPrefix)) metadata[name.slice(metadataPrefix.length)] = value;
  return {
    key,
    bytes: Number(headers.get('content-length') ?? 0),
    modifiedMs: Date.parse(headers.get('last-modified') ?? '') || 0,
    attributes: {
      contentType: headers.get('content-type'),
      contentEncoding: headers.get('content-encoding'),
      versionId: headers.get('x-amz-version-id'),
      metadata,
    },
  };
}

/** What the headers of a request begin with. */
interface HeaderNames {
  readonly metadata: string;
  /** Before the names of HTTP; by default nothing. */
  readonly content?: string;
}

/** The headers of a put. Throws for values that no header can have, which could end one and begin another. */
export function attributeHeaders(
  { contentType, contentEncoding, metadata = {}, headers = {} }: ObjectAttributes,
  { metadata: metadataPrefix, content = '' }: HeaderNames,
): Record<string, string> {
  const found: Record<string, string> = {};
  const add = (name: string, value: string) => {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new StoreError('invalid', name, 'is no name of a header');
    if (!/^[\x20-\x7e]*$/.test(value))
      throw new StoreError('invalid', name, 'the value has characters that no header has');
    // With a blank at an end, the signature would not match.
    found[name.toLowerCase()] = value.trim();
  };
  if (contentType) add(`${content}content-type`, contentType);
  if (contentEncoding) add(`${content}content-encoding`, contentEncoding);
  for (const [name, value] of Object.entries(metadata)) add(metadataPrefix + name, value);
  for (const [name, value] of Object.entries(headers)) add(name, value);
  return found;
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
