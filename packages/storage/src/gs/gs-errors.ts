import { kindOfStatus } from '../store/kind-of-status.ts';
import { StoreError, type StoreErrorKind } from '../store/store-error.ts';
import type { HttpResponse } from '../store-http/response-reader.ts';

/** Reasons of Google whose HTTP status alone would be misleading. */
const kindOfReason: Readonly<Record<string, StoreErrorKind>> = {
  rateLimitExceeded: 'throttled',
  userRateLimitExceeded: 'throttled',
  quotaExceeded: 'throttled',
  dailyLimitExceeded: 'throttled',
  authError: 'denied',
};

/** The part of a server's text that an error repeats. */
const textLengthMax = 500;

/** The error of a response of Google Cloud Storage, with the server's message. */
export function gsError(subject: string, response: HttpResponse, permission: string): StoreError {
  const { status } = response;
  const { reason, message } = explanationIn(response.body);
  const known = Object.hasOwn(kindOfReason, reason) ? kindOfReason[reason] : undefined;
  // 409: another request changed the object at the same time.
  const kind = kindOfStatus(status, known ?? (status === 409 ? 'unavailable' : undefined));
  const words = [status, reason, message].filter((word) => word !== '').join(' ');
  // Google names the permission in most of its messages, but not in all.
  const isNamed = kind !== 'denied' || status !== 403 || message.includes(permission);
  const hint = isNamed ? '' : `; the account needs the permission ${permission}`;
  return new StoreError(kind, subject, `Google returned ${words}${hint}`);
}

/** Errors are JSON, but those of downloads and of uploads may be plain text. */
function explanationIn(body: Buffer): { readonly reason: string; readonly message: string } {
  const text = body.toString('utf8');
  try {
    const { error } = JSON.parse(text) as {
      error?: { message?: unknown; errors?: readonly { reason?: unknown }[] };
    };
    return { reason: wordsOf(error?.errors?.[0]?.reason), message: wordsOf(error?.message) };
  } catch {
    // An error page in HTML explains nothing.
    return { reason: '', message: text.trimStart().startsWith('<') ? '' : wordsOf(text) };
  }
}

/** In one line. */
export function wordsOf(text: unknown): string {
  if (typeof text !== 'string') return '';
  return text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, textLengthMax);
}
