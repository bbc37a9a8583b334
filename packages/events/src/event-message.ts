import type { EventRecord } from './envelope.ts';

/**
 * Returns the message of an event in one line: its own text if it has one, otherwise the fields that distinguish it.
 */
export function eventMessage({ data }: Pick<EventRecord, 'data'>): string {
  const { message, title, metric_name: metric, value, tags } = data;
  if (typeof message === 'string') return message;
  if (typeof title === 'string') return title;
  if (typeof metric === 'string') return `${metric}${tagsText(tags)} ${JSON.stringify(value)}`;
  const { log_level: _shown, ...rest } = data;
  return JSON.stringify(rest);
}

/** The same format as the Prometheus scrape. */
function tagsText(tags: EventRecord['data'][string] | undefined): string {
  if (typeof tags !== 'object' || tags === null) return '';
  const texts = Object.entries(tags).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return texts.length === 0 ? '' : `{${texts.join(',')}}`;
}
