import type { OutputOf } from '@weir/api/client';
import { formatCount, formatDuration, formatShort } from '../../../format/format.ts';

type Answer = OutputOf<'search_events'>;

const whys: Readonly<Record<NonNullable<Answer['partial']>, string>> = {
  time: 'the search reached its time limit',
  bytes: 'the search reached its limit of bytes read',
  answer_bytes: 'the response reached its size limit',
};

/** What a search found and what it took: `100 of 12,431 · scanned 1.2M, skipped 8.8M · 310 ms`. */
export function receiptOf({
  events,
  stats,
  truncated,
  partial,
}: Pick<Answer, 'events' | 'stats' | 'truncated' | 'partial'>): string {
  const found = events.length === stats.events_matched && !truncated;
  const all = stats.is_exact
    ? formatCount(stats.events_matched)
    : `at least ${formatCount(stats.events_matched)}`;
  const count = found ? `${formatCount(events.length)} events` : `${formatCount(events.length)} of ${all}`;
  const cached = stats.events_cached === 0 ? '' : `, cached ${formatShort(stats.events_cached)}`;
  const work = `scanned ${formatShort(stats.events_scanned)}, skipped ${formatShort(stats.events_pruned)}${cached}`;
  const why = partial === undefined ? '' : ` · incomplete: ${whys[partial]}`;
  return `${events.length === 1 && found ? '1 event' : count} · ${work} · ${formatDuration(stats.ms)}${why}`;
}
