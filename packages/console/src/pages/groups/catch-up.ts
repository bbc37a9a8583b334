import { formatDuration } from '../../format/format.ts';

/** When a group will have read what it has yet to read, if both rates stay as they are. */
export function catchUpText(
  lag: number,
  producedPerSecond: number | null,
  consumedPerSecond: number | null,
  memberCount: number,
): string {
  if (lag === 0) return 'caught up';
  // Consumers that are no members may commit for it.
  if (memberCount === 0 && !consumedPerSecond) return 'no members';
  if (producedPerSecond === null || consumedPerSecond === null) return 'no estimate yet';
  const gain = consumedPerSecond - producedPerSecond;
  if (consumedPerSecond === 0) return 'not consuming';
  if (gain <= 0) return 'falling behind';
  return `catches up in about ${formatDuration(Math.max(1_000, (lag / gain) * 1_000))}`;
}
