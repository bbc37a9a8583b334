import { offeredRanges, type TimeRange } from '@weir/events';
import { formatTime } from '../../../format/format.ts';

/** A range as a button shows it. */
export function rangeLabel(range: TimeRange, zone: 'local' | 'utc'): string {
  const offered = offeredRanges.find((one) => JSON.stringify(one.range) === JSON.stringify(range));
  if (offered !== undefined) return offered.title;
  if ('relative' in range) return `Last ${range.relative}`;
  if ('preset' in range) return range.preset;
  if ('day' in range) {
    const { day, from = '00:00', to = '24:00' } = range;
    return range.from === undefined && range.to === undefined ? day : `${day} ${from} – ${to}`;
  }
  const start = formatTime(range.start, zone);
  const end = formatTime(range.end, zone);
  return `${start} – ${start.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : end}`;
}

/** A selection on a chart as a range: the buckets that it touches, a second at least and a day at most. */
export function rangeBetween(
  fromMs: number,
  toMs: number,
  bucketMs: number,
): { readonly start: string; readonly end: string } {
  const stepMs = Math.max(bucketMs, minMs);
  const firstMs = Math.floor(fromMs / stepMs) * stepMs;
  const endMs = (Math.floor(toMs / stepMs) + 1) * stepMs;
  const startMs = Math.max(firstMs, endMs - maxMs);
  return { start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() };
}

const minMs = 1_000;
const maxMs = 86_400_000;
