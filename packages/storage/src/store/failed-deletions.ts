import type { FailedDeletion } from './object-store.ts';

/** The result of `deleteMany`: throws if not one of the keys was removed. */
export function unlessAllFailed(
  keys: readonly string[],
  failed: readonly FailedDeletion[],
): readonly FailedDeletion[] {
  if (keys.length > 0 && failed.length === keys.length) throw failed[0]!.error;
  return failed;
}
