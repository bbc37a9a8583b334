import type { EventResponse } from '@weir/api';
import type { EventRecord } from '@weir/events';
import { eventMessage } from '@weir/events/event-message';

import type { Tone } from '../results/style.ts';

export const eventColumns = ['TIME', 'TYPE', 'LEVEL', 'MESSAGE'];

/** An event as one line for the user: time, type and message. */
export function eventRow({ time, type, data }: EventResponse): readonly string[] {
  const { log_level } = data;
  // Parsed from JSON, so it is a JSON value.
  const message = eventMessage({ data: data as EventRecord['data'] });
  return [time, type, typeof log_level === 'string' ? log_level : '', message];
}

/** The colour of an event by its severity. */
export function eventTone({ data: { log_level } }: EventResponse): Tone | undefined {
  if (log_level === 'error' || log_level === 'fatal') return 'bad';
  return log_level === 'warn' || log_level === 'warning' ? 'doubtful' : undefined;
}
