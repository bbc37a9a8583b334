import type { EventSearchLink } from '@weir/api';

/**
 * What stands in the URL: every parameter is a text. Without the meaning of them, because the router loads this with
 * the first page and the language of filters is large.
 */
export type EventsSearch = { readonly [Name in keyof EventSearchLink]?: string | undefined };

const names = [
  'types',
  'metrics',
  'filter',
  'relative',
  'preset',
  'day',
  'from',
  'to',
  'start',
  'end',
  'zone',
  'sort',
  'mode',
  'chart',
  'group_by',
  'then_by',
  'aggregation',
  'field',
  'columns',
  'find',
  'event',
  'near',
  'live',
  'compare',
  'view',
] as const satisfies readonly (keyof EventSearchLink)[];

/** Reads the parameters of a URL. Those that mean nothing here count as left out. */
export function readSearch(given: Record<string, unknown>): EventsSearch {
  return Object.fromEntries(
    names.flatMap((name) => (given[name] === undefined ? [] : [[name, textOf(given[name])]])),
  );
}

/** The router reads texts that look like JSON as what they say. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
