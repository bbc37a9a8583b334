import type { EventTold } from '@weir/api';

export const eventColumns = ['TIME', 'TYPE', 'LEVEL', 'MESSAGE'];

/** An event in one line, for people: when, what kind, and what it says. */
export function eventRow({ time, type, data }: EventTold): readonly string[] {
  const { log_level, message, ...others } = data;
  const said = typeof message === 'string' ? message : JSON.stringify({ message, ...others });
  return [time, type, typeof log_level === 'string' ? log_level : '', said];
}
