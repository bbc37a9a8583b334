import { StoreError, type StoreErrorKind } from '../store/store-error.ts';

/** Error kinds of file system codes. A code that is not listed is treated as a transient failure. */
const kindOfCode: Readonly<Record<string, StoreErrorKind>> = {
  EACCES: 'denied',
  EPERM: 'denied',
  EROFS: 'denied',
  ENOSPC: 'full',
  EDQUOT: 'full',
  ENAMETOOLONG: 'invalid',
  EINVAL: 'invalid',
  // The next four occur when one key is a folder of another, which a file system cannot store.
  EISDIR: 'invalid',
  ENOTDIR: 'invalid',
  ENOTEMPTY: 'invalid',
  EEXIST: 'invalid',
};

/** What an operator has to know of a disk. */
const problemOfCode: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk failed',
};

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Converts an error of the file system into one of the store; returns other errors unchanged. */
export function fileStoreError(key: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined || error instanceof StoreError || (error as Error).name === 'AbortError')
    return error;
  const known = problemOfCode[code];
  const problem = known === undefined ? `the file system returned ${code}` : `${known} (${code})`;
  return new StoreError(kindOfCode[code] ?? 'unavailable', key, problem, { cause: error });
}
