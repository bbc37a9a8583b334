import { hash } from 'node:crypto';
import { storageLimits } from '../limits.ts';
import { contentChecksum } from '../store/content-checksum.ts';
import { unlessAllFailed } from '../store/failed-deletions.ts';
import type { FailedDeletion } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';
import { deleteEach, requireDeleted } from '../store-http/object-responses.ts';
import { isSuccess } from '../store-http/response-reader.ts';
import { elementsOf, escapeXml, textOf } from '../store-http/xml.ts';
import { isNotOffered, kindOfS3Error, s3Error } from './s3-errors.ts';
import type { S3Requests } from './s3-requests.ts';

export async function deleteObject(
  requests: S3Requests,
  key: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  requireDeleted(key, await requests.object(key, 'DELETE', signal), s3Error);
}

export async function deleteObjects(
  requests: S3Requests,
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly FailedDeletion[]> {
  const objects = keys.map((key) => `<Object><Key>${escapeXml(key)}</Key></Object>`).join('');
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
  const body = Buffer.from(`<Delete xmlns="${namespace}"><Quiet>true</Quiet>${objects}</Delete>`);
  const response = await requests.bucket(keys[0]!, 'POST', signal, {
    query: { delete: '' },
    headers: { 'content-type': 'application/xml', ...digestsOf(body, requests) },
    content: [body],
    bodyBytesMax: storageLimits.storeListBodyBytesMax,
  });
  if (isNotOffered(response)) return deleteEach(keys, (key) => deleteObject(requests, key, signal), signal);
  if (!isSuccess(response)) throw s3Error(keys[0]!, response);
  const errors = elementsOf(response.body.toString('utf8'), 'Error');
  const failed = Array.from(errors, failedDeletion).flat();
  const asked = new Set(keys);
  // An error that is about none of the objects is about all of them, whatever the status.
  const other = failed.find(({ key }) => !asked.has(key));
  if (other !== undefined) throw new StoreError(other.error.kind, keys[0]!, other.error.problem);
  return unlessAllFailed(keys, failed);
}

/** S3 takes this request only with one of them. Older servers know only the first, directory buckets the second. */
function digestsOf(body: Buffer, { location }: S3Requests): Readonly<Record<string, string>> {
  return location.zoneId === undefined
    ? { 'content-md5': hash('md5', body, 'base64') }
    : { 'x-amz-checksum-crc32c': contentChecksum([body]) };
}

function failedDeletion(element: string): FailedDeletion[] {
  const key = textOf(element, 'Key');
  const code = textOf(element, 'Code');
  // Single objects have a code, but no status.
  const status = code === 'AccessDenied' ? 403 : code === 'NoSuchKey' ? 404 : 500;
  const kind = kindOfS3Error(status, code);
  if (kind === 'notFound') return [];
  const words = [code, textOf(element, 'Message')].filter((word) => word !== '').join(' ');
  return [{ key, error: new StoreError(kind, key, `S3 returned ${words}`) }];
}
