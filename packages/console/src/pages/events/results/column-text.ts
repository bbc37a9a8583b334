import { cutText, visibleText } from '../../../format/visible-text.ts';

const cellCharsMax = 200;

/** The value of a field of an event, by the keys of its name; a dash if the event has none. */
export function columnText(event: object, field: string): string {
  let value: unknown = event;
  for (const key of field.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return '–';
    value = (value as Record<string, unknown>)[key];
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return visibleText(cutText(text, cellCharsMax)) || '–';
}

/** The title of a column: the last key of the field. */
export function columnTitle(field: string): string {
  return field.slice(field.lastIndexOf('.') + 1).replaceAll('_', ' ');
}
