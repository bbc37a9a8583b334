import type { StoredOffset } from '@weir/machine';
import type { OffsetExpiry } from './group.ts';

/** Whether an offset is kept no longer. What a client asked for when it committed counts before everything else. */
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
