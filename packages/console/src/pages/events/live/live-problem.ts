import { resolveTimeRange, type TimeRange } from '@weir/events';
import { formatTime } from '../../../format/format.ts';

interface LiveContext {
  readonly nowMs: number;
  readonly zone: 'local' | 'utc';
  /** The name of the zone in which days begin. */
  readonly timeZone: string;
}

/** Why new events cannot be shown in a time, in one line: they happen now. */
export function liveProblem(range: TimeRange, { nowMs, zone, timeZone }: LiveContext): string | undefined {
  const { window } = resolveTimeRange(range, { nowMs, timeZone });
  if (window === undefined || (window.startMs <= nowMs && window.endMs >= nowMs)) return undefined;
  const when =
    window.endMs < nowMs
      ? `ended at ${formatTime(window.endMs, zone)}`
      : `starts at ${formatTime(window.startMs, zone)}`;
  return `Live needs a time range that includes now; the chosen range ${when}`;
}
