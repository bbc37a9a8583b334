import type { StoredOffset } from '@weir/machine';
import type { OffsetExpiry } from './group.ts';

/** Returns whether an offset has expired. An expiry time that the client sent with the commit takes precedence. */
export function isExpired(
  { committedMs, expiresMs }: Pick<StoredOffset, 'committedMs' | 'expiresMs'>,
  expiry: OffsetExpiry,
  retentionMs: number,
  nowMs: number,
): boolean {
  if (expiry.from === 'never') return false;
  if (expiresMs !== undefined) return nowMs >= expiresMs;
  const fromMs = expiry.from === 'empty' ? Math.max(expiry.sinceMs, committedMs) : committedMs;
  return nowMs - fromMs >= retentionMs;
}
