import type { StoreErrorKind } from '../store/store-error.ts';
import type { ThreadProblem } from './thread-call.ts';

/** Error kinds of SQLite's primary result codes. What is not listed is treated as a transient failure. */
const kindOfCode: Readonly<Record<number, StoreErrorKind>> = {
  // SQLITE_ERROR, which is a mistake in a statement; SQLITE_CORRUPT, SQLITE_CANTOPEN, SQLITE_TOOBIG, SQLITE_NOTADB
  1: 'invalid',
  11: 'invalid',
  14: 'invalid',
  18: 'invalid',
  26: 'invalid',
  // SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH
  3: 'denied',
  8: 'denied',
  23: 'denied',
};

export function sqliteProblem(subject: string, error: unknown): ThreadProblem {
  const { message, errcode } = error as Error & { readonly errcode?: number };
  // The upper bytes refine the code.
  const kind = errcode === undefined ? undefined : kindOfCode[errcode & 0xff];
  return { kind: kind ?? 'unavailable', subject, text: `SQLite: ${message}` };
}
