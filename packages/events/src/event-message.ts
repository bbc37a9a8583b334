import type { EventRecord } from './envelope.ts';

/** What an event says in one line: its own words where it has some, and otherwise what distinguishes it. */
export function eventMessage({ data }: Pick<EventRecord, 'data'>): string {
  const { message, title, metric_name: metric, value, tags } = data;
  if (typeof message === 'string') return message;
  if (typeof title === 'string') return title;
  if (typeof metric === 'string') return `${metric}${tagsText(tags)} ${JSON.stringify(value)}`;
  const { log_level: _shown, ...rest } = data;
  return JSON.stringify(rest);
}

/** As the scrape writes them. */
function tagsText(tags: EventRecord['data'][string] | undefined): string {
  if (typeof tags !== 'object' || tags === null) return '';
  const texts = Object.entries(tags).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return texts.length === 0 ? '' : `{${texts.join(',')}}`;
}
