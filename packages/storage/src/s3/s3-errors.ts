import { kindOfStatus } from '../store/kind-of-status.ts';
import { StoreError, type StoreErrorKind } from '../store/store-error.ts';
import type { HttpResponse } from '../store-http/response-reader.ts';
import { textOf } from '../store-http/xml.ts';

/** S3 codes whose HTTP status alone would be misleading. */
const kindOfCode: Readonly<Record<string, StoreErrorKind>> = {
  // Its status is that of a missing object.
  NoSuchBucket: 'bucketMissing',
  SlowDown: 'throttled',
  Throttling: 'throttled',
  ThrottlingException: 'throttled',
  RequestLimitExceeded: 'throttled',
  RequestTimeout: 'timeout',
  // The received bytes differ from those that were sent; a retry may help.
  BadDigest: 'unavailable',
  XAmzContentChecksumMismatch: 'unavailable',
  // Two conditional writes conflicted; S3 asks for a retry.
  ConditionalRequestConflict: 'unavailable',
  OperationAborted: 'unavailable',
  ExpiredToken: 'denied',
  InvalidAccessKeyId: 'denied',
  RequestTimeTooSkewed: 'denied',
};

export function kindOfS3Error(status: number, code: string): StoreErrorKind {
  return kindOfStatus(status, Object.hasOwn(kindOfCode, code) ? kindOfCode[code] : undefined);
}

/** The error of an S3 response, with the server's message. */
export function s3Error(key: string, { status, headers, body }: HttpResponse): StoreError {
  const xml = body.toString('utf8');
  const code = textOf(xml, 'Code');
  if (status >= 300 && status < 400) {
    const region = headers.get('x-amz-bucket-region') ?? 'another one';
    return new StoreError('invalid', key, `the bucket's region is ${region}`);
  }
  const words = [status, code, textOf(xml, 'Message')].filter((word) => word !== '').join(' ');
  return new StoreError(kindOfS3Error(status, code), key, `S3 returned ${words}`);
}

/** The server, or a proxy before it, does not know the request. */
export function isNotOffered({ status, body }: HttpResponse): boolean {
  return (
    status === 501 ||
    status === 405 ||
    (status >= 400 && textOf(body.toString('utf8'), 'Code') === 'NotImplemented')
  );
}
