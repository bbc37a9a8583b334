import { StoreError, type StoreErrorKind } from '../store/store-error.ts';

/** What the codes of the file system mean for a caller. A code that is not here is taken for a fault that may pass. */
const kindOfCode: Readonly<Record<string, StoreErrorKind>> = {
  EACCES: 'denied',
  EPERM: 'denied',
  EROFS: 'denied',
  ENAMETOOLONG: 'invalid',
  EINVAL: 'invalid',
  // The next four come when one key is a folder of another, which a file system cannot hold.
  EISDIR: 'invalid',
  ENOTDIR: 'invalid',
  ENOTEMPTY: 'invalid',
  EEXIST: 'invalid',
};

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** An error of the file system as one of the store; anything else as it is. */
export function fileStoreError(key: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined || error instanceof StoreError || (error as Error).name === 'AbortError')
    return error;
  return new StoreError(kindOfCode[code] ?? 'unavailable', key, `the file system answered ${code}`, {
    cause: error,
  });
}
