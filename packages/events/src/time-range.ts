import { formatDurationMs, parseDurationMs } from '@weir/core';
import { eventLimits } from './limits.ts';
import { dayAt, dayBefore, isDay, isTimeOfDay, isTimeZone, wallTimeMs } from './wall-time.ts';

/** The time range of a search, in the form of the API and of links. */
export type TimeRange =
  /** The last `15m`: any duration up to a day. */
  | { readonly relative: string }
  | { readonly preset: 'today' | 'yesterday' }
  | DayRange
  /** Two RFC 3339 timestamps, at most a day apart. */
  | { readonly start: string; readonly end: string };

/** A day, such as `2026-11-15`, or a part of it between two times of day, such as `09:30`. */
interface DayRange {
  readonly day: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Ranges that an explorer offers as buttons. */
export const offeredRanges: readonly { readonly title: string; readonly range: TimeRange }[] = [
  { title: 'Last 5 minutes', range: { relative: '5m' } },
  { title: 'Last 15 minutes', range: { relative: '15m' } },
  { title: 'Last hour', range: { relative: '1h' } },
  { title: 'Last 4 hours', range: { relative: '4h' } },
  { title: 'Last day', range: { relative: '1d' } },
  { title: 'Today', range: { preset: 'today' } },
  { title: 'Yesterday', range: { preset: 'yesterday' } },
];

export const defaultRange: TimeRange = { relative: '1h' };

/** Timestamps in milliseconds since 1970. The end is exclusive. */
export interface TimeWindow {
  readonly startMs: number;
  readonly endMs: number;
}

interface TimeRangeProblem {
  readonly code: 'invalid_time_range' | 'window_too_large';
  readonly message: string;
  /** The newest part of the window that is within the limit. */
  readonly suggestion?: TimeRange;
}

type ResolvedRange =
  | { readonly window: TimeWindow; readonly problem?: undefined }
  | { readonly window?: undefined; readonly problem: TimeRangeProblem };

interface ResolveOptions {
  readonly nowMs: number;
  /** The zone in which days begin: `UTC`, or an IANA name such as `Europe/Vienna`. */
  readonly timeZone: string;
}

/** Resolves a range at the current time. */
export function resolveTimeRange(range: TimeRange, { nowMs, timeZone }: ResolveOptions): ResolvedRange {
  if (!isTimeZone(timeZone))
    return invalid(`${timeZone} is not a time zone; use a name such as Europe/Vienna, or UTC`);
  if ('relative' in range) return lastPart(range.relative, nowMs);
  if ('preset' in range) {
    const today = dayAt(nowMs, timeZone);
    return partOfDay({ day: range.preset === 'today' ? today : dayBefore(today) }, timeZone);
  }
  if ('day' in range) return partOfDay(range, timeZone);
  return between(range);
}

function lastPart(duration: string, nowMs: number): ResolvedRange {
  const durationMs = parseDurationMs(duration);
  if (durationMs === undefined || durationMs <= 0)
    return invalid(`${duration} is not a duration; write one such as 15m or 4h`);
  const window = { startMs: nowMs - durationMs, endMs: nowMs };
  return durationMs > eventLimits.eventsWindowMsMax ? tooLarge({ relative: '24h' }) : { window };
}

/** A day of 25 hours, when clocks are set back, loses its first hour. */
function partOfDay({ day, from = '00:00', to = '24:00' }: DayRange, timeZone: string): ResolvedRange {
  if (!isDay(day)) return invalid(`${day} is not a day; write one such as 2026-11-15`);
  for (const time of [from, to]) {
    if (!isTimeOfDay(time)) return invalid(`${time} is not a time of day; write one such as 09:30`);
  }
  const startMs = wallTimeMs(day, from, timeZone);
  const endMs = wallTimeMs(day, to, timeZone);
  if (startMs >= endMs) return invalid(`${from} is not before ${to}`);
  return { window: { startMs: Math.max(startMs, endMs - eventLimits.eventsWindowMsMax), endMs } };
}

/** With seconds and an offset, so that it is unambiguous. */
const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

function between({ start, end }: { readonly start: string; readonly end: string }): ResolvedRange {
  const [startMs, endMs] = [start, end].map((text) => (moment.test(text) ? Date.parse(text) : Number.NaN));
  for (const [text, ms] of [
    [start, startMs!],
    [end, endMs!],
  ] as const) {
    if (Number.isNaN(ms)) return invalid(`${text} is not a moment; write one such as 2026-11-15T10:00:00Z`);
  }
  if (startMs! >= endMs!) return invalid(`${start} is not before ${end}`);
  if (endMs! - startMs! > eventLimits.eventsWindowMsMax)
    return tooLarge({ start: new Date(endMs! - eventLimits.eventsWindowMsMax).toISOString(), end });
  return { window: { startMs: startMs!, endMs: endMs! } };
}

function invalid(message: string): ResolvedRange {
  return { problem: { code: 'invalid_time_range', message } };
}

function tooLarge(suggestion: TimeRange): ResolvedRange {
  const most = formatDurationMs(eventLimits.eventsWindowMsMax);
  return {
    problem: { code: 'window_too_large', message: `a search reaches over ${most} at most`, suggestion },
  };
}
