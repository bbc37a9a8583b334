import type { OutputOf } from '@weir/api/client';
import { cutText, visibleText } from '../../../format/visible-text.ts';

type Timeline = OutputOf<'get_events_timeline'>['timeline'];

interface TimelineSeries {
  readonly label: string;
  readonly total: number | null;
  readonly values: readonly (number | null)[];
}

const labelCharsMax = 60;

/** The series of a timeline over the same times. A missing count is none; a missing aggregate is unknown. */
export function timelineSeries(
  timeline: Timeline,
  { isCount, isGrouped }: { readonly isCount: boolean; readonly isGrouped: boolean },
): { readonly timesMs: readonly number[]; readonly series: readonly TimelineSeries[] } {
  const times = new Set<number>();
  const maps = timeline.series.map(({ points }) => {
    const values = new Map<number, number | null>();
    for (const [time, value] of points) {
      const timeMs = Date.parse(String(time));
      times.add(timeMs);
      values.set(timeMs, typeof value === 'number' ? value : null);
    }
    return values;
  });
  const timesMs = [...times].sort((a, b) => a - b);
  const labels = new Map<string, number>();
  return {
    timesMs,
    series: timeline.series.map((one, index) => {
      const label = isGrouped ? labelOf(one) : isCount ? 'Events' : 'All events';
      // Two values may look the same, such as 1 and "1".
      const earlier = labels.get(label) ?? 0;
      labels.set(label, earlier + 1);
      return {
        label: earlier === 0 ? label : `${label} (${earlier + 1})`,
        total: one.total,
        values: timesMs.map((timeMs) => maps[index]!.get(timeMs) ?? (isCount ? 0 : null)),
      };
    }),
  };
}

/** Less of the time than this looks as if something were wrong. */
const littleShare = 0.25;

/** Where the events are, if they are in a small part of the time only: a new cluster has no older ones. */
export function coveredPart(
  timesMs: readonly number[],
  series: readonly Pick<TimelineSeries, 'values'>[],
  bucketMs: number,
): { readonly startMs: number; readonly endMs: number } | undefined {
  const hasEvents = (at: number) => series.some(({ values }) => (values[at] ?? 0) !== 0);
  const first = timesMs.findIndex((_, at) => hasEvents(at));
  const last = timesMs.findLastIndex((_, at) => hasEvents(at));
  const isLittle = first !== -1 && last - first + 1 <= timesMs.length * littleShare;
  return isLittle ? { startMs: timesMs[first]!, endMs: timesMs[last]! + bucketMs } : undefined;
}

function labelOf({ key, then_key: thenKey, is_other: isOther }: Timeline['series'][number]): string {
  if (isOther) return 'Other';
  const text = (value: string | number | boolean | null) =>
    value === null ? '(none)' : visibleText(cutText(String(value), labelCharsMax)) || '(empty)';
  return thenKey === undefined ? text(key) : `${text(key)} · ${text(thenKey)}`;
}
