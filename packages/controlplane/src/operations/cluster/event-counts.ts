import { type ClusterPort, clusterConfigValue } from '@weir/cluster';
import { type EventTypeName, eventTypeNames, type SearchAnswer, type TimeWindow } from '@weir/events';
import { OperationFailed } from '../operation-failed.ts';
import { queryEngine } from './event-queries.ts';
import { filterOf } from './event-questions.ts';

/** What a saved search says of the events that it finds. The rest of it is for people. */
type SavedSearch = Readonly<Record<string, string | undefined>>;

/** The types and the filter of a saved search. Types that this release does not know are left out, as on the page. */
export function scopeOfSearch({ types = '', filter = '' }: SavedSearch) {
  const isKnown = (name: string): name is EventTypeName =>
    (eventTypeNames as readonly string[]).includes(name);
  return { types: types.split(',').filter(isKnown), filter: filterOf({ filter, filter_builder: undefined }) };
}

/** The events that a saved search finds in a window. Throws `OperationFailed` if not all of them were counted. */
export async function countEvents(
  port: ClusterPort,
  search: SavedSearch,
  window: TimeWindow,
  options: { readonly queryId: string; readonly stop: AbortSignal; readonly enoughAbove: number },
): Promise<number> {
  // Without events, a count of none would look like an answer.
  if (!clusterConfigValue('service.events.enabled', await port.clusterConfigs()))
    throw new OperationFailed('events_disabled');
  const answer = (await queryEngine(
    port,
    {
      kind: 'search',
      ...scopeOfSearch(search),
      window,
      order: 'desc',
      limit: 0,
      timeline: { aggregation: 'count' },
    },
    options,
  )) as SearchAnswer;
  const found = (answer.timeline?.series ?? []).reduce((sum, { total }) => sum + (total ?? 0), 0);
  // A part that exceeds the limit is as good as the whole.
  if (answer.partial !== undefined && found <= options.enoughAbove)
    throw new OperationFailed(
      'unavailable',
      'The events could not be counted in the time that a search may take; narrow the saved search.',
    );
  return found;
}
