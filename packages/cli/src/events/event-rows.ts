import type { EventResponse } from '@weir/api';
import { type EventRecord, eventMessage } from '@weir/events';

export const eventColumns = ['TIME', 'TYPE', 'LEVEL', 'MESSAGE'];

/** An event in one line, for people: when, what kind, and what it says. */
export function eventRow({ time, type, data }: EventResponse): readonly string[] {
  const { log_level } = data;
  // What came as JSON is JSON.
  const said = eventMessage({ data: data as EventRecord['data'] });
  return [time, type, typeof log_level === 'string' ? log_level : '', said];
}
