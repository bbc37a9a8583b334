import { systemClock } from '@weir/core';
import { formatAgo, formatTime } from '../format/format.ts';

interface TimeProps {
  /** As the API says it; `null` for never. */
  readonly of: string | null;
  /** How long ago instead of when. */
  readonly isAgo?: boolean;
}

/** A moment in the zone of the browser; its title has it in UTC. */
export function Time({ of, isAgo = false }: TimeProps) {
  if (of === null) return <span className="text-muted">never</span>;
  const shown = isAgo ? formatAgo(Date.parse(of), systemClock.nowMs()) : formatTime(of, 'local');
  return (
    <time dateTime={of} title={`${formatTime(of, 'utc')} UTC`} className="whitespace-nowrap">
      {shown}
    </time>
  );
}
