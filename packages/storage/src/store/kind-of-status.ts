import type { StoreErrorKind } from './store-error.ts';

/** The kind of an error that a service explains by a status and, if it is known, by a code of its own. */
export function kindOfStatus(status: number, kindOfCode: StoreErrorKind | undefined): StoreErrorKind {
  if (kindOfCode !== undefined) return kindOfCode;
  if (status === 404) return 'notFound';
  if (status === 401 || status === 403) return 'denied';
  if (status === 429) return 'throttled';
  if (status === 408) return 'timeout';
  return status >= 500 ? 'unavailable' : 'invalid';
}
