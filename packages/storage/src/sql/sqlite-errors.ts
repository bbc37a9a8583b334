import { codeOf, fileStoreError } from '../file/file-errors.ts';
import { StoreError, type StoreErrorKind } from '../store/store-error.ts';
import type { BucketProblem } from './bucket-thread.ts';

/** The file of a bucket, or its tables, are not there. */
export class SqliteMissing extends Error {
  override readonly name = 'SqliteMissing';
}

/** Error kinds of SQLite's primary result codes. What is not listed is treated as a transient failure. */
const kindOfCode: Readonly<Record<number, StoreErrorKind>> = {
  // SQLITE_ERROR, which is a mistake in a statement; SQLITE_CORRUPT, SQLITE_TOOBIG, SQLITE_NOTADB
  1: 'invalid',
  11: 'invalid',
  18: 'invalid',
  26: 'invalid',
  // SQLITE_CANTOPEN
  14: 'bucketMissing',
  // SQLITE_FULL
  13: 'full',
  // SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH
  3: 'denied',
  8: 'denied',
  23: 'denied',
};

/** Whether another connection was in the way. */
export function isBusy(error: unknown): boolean {
  return ((error as { readonly errcode?: number }).errcode ?? 0) % 256 === 5;
}

export function sqliteProblem(
  subject: string,
  error: unknown,
): BucketProblem & { readonly kind: StoreErrorKind } {
  if (error instanceof SqliteMissing) return { kind: 'bucketMissing', subject, text: error.message };
  const { message, errcode } = error as Error & { readonly errcode?: number };
  // Codes of Node itself begin with ERR_.
  if (errcode === undefined && !codeOf(error)?.startsWith('ERR_')) {
    const ofFileSystem = fileStoreError(subject, error);
    if (ofFileSystem instanceof StoreError)
      return { kind: ofFileSystem.kind, subject, text: ofFileSystem.problem };
  }
  // The upper bytes refine the code.
  const kind = errcode === undefined ? undefined : kindOfCode[errcode & 0xff];
  return { kind: kind ?? 'unavailable', subject, text: `SQLite: ${message}` };
}
