import { kindOfStatus } from '../store/kind-of-status.ts';
import { StoreError, type StoreErrorKind } from '../store/store-error.ts';
import type { HttpResponse } from '../store-http/response-reader.ts';
import { textOf } from '../store-http/xml.ts';

/** Codes of the blob service whose HTTP status alone would be misleading. */
const kindOfCode: Readonly<Record<string, StoreErrorKind>> = {
  ContainerNotFound: 'bucketMissing',
  // After 30 seconds or more the name is free again.
  ContainerBeingDeleted: 'unavailable',
  AccountBeingCreated: 'unavailable',
  // Limits of the account answer 503 too.
  ServerBusy: 'throttled',
  OperationTimedOut: 'timeout',
  // A malformed or expired token.
  InvalidAuthenticationInfo: 'denied',
  // Another owner protects the blob: a lease, a policy, a legal hold, a snapshot.
  LeaseIdMissing: 'denied',
  BlobImmutableDueToPolicy: 'denied',
  SnapshotsPresent: 'denied',
  ContainerDisabled: 'denied',
  // The received bytes differ from those that were sent; a retry may help.
  Md5Mismatch: 'unavailable',
  Crc64Mismatch: 'unavailable',
};

function kindOfAzureError(status: number, code: string): StoreErrorKind {
  return kindOfStatus(status, Object.hasOwn(kindOfCode, code) ? kindOfCode[code] : undefined);
}

/** The code by which the service explains a status. Only the header has it for HEAD. */
export function azureErrorCode({ headers, body }: HttpResponse): string {
  return headers.get('x-ms-error-code') ?? textOf(body.toString('utf8'), 'Code');
}

/** The error of a response, with the first line of the server's message; the rest repeats the id and the time. */
export function azureError(subject: string, response: HttpResponse): StoreError {
  const { status, headers, body } = response;
  const code = azureErrorCode(response);
  const message = textOf(body.toString('utf8'), 'Message').split('\n')[0]!.trim();
  const requestId = headers.get('x-ms-request-id');
  const words = [status, code, message].filter((word) => word !== '').join(' ');
  const id = requestId === undefined ? '' : ` (request ${requestId})`;
  return new StoreError(kindOfAzureError(status, code), subject, `Azure returned ${words}${id}`);
}
