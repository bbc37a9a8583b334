import { rangeLabel } from '../time/range-label.ts';
import { type EventsSearch, readSearch } from './events-search.ts';
import { type ExplorerState, emptyState, searchOf, stateOf } from './explorer-state.ts';

/** Searches that were run in this browser, the newest first. */

const searchesMax = 20;
const storedCharsMax = 100_000;

const storageKey = (clusterId: string) => `weir.event-searches.${clusterId}`;

/** Adds a search. The same one is there once; how it is shown does not count. */
export function withSearch(list: readonly EventsSearch[], state: ExplorerState): readonly EventsSearch[] {
  const added = searchOf({ ...emptyState, ...whatIsSearched(state) });
  const text = JSON.stringify(added);
  return [added, ...list.filter((one) => JSON.stringify(one) !== text)].slice(0, searchesMax);
}

/** What of a state is the search, and not how it is shown. */
export function whatIsSearched(state: ExplorerState) {
  const { types, metrics, filter, range, groupBy, thenBy, aggregation, field, columns } = state;
  return { types, metrics, filter, range, groupBy, thenBy, aggregation, field, columns };
}

/** What is stored may be of another release or of a person who changed it. */
export function readSearches(text: string | null): readonly EventsSearch[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(list)) return [];
    const objects = list.filter(
      (one): one is Record<string, unknown> => typeof one === 'object' && one !== null,
    );
    return objects.slice(0, searchesMax).map((one) => searchOf(stateOf(readSearch(one))));
  } catch {
    return [];
  }
}

export function recentSearches(clusterId: string): readonly EventsSearch[] {
  return readSearches(localStorage.getItem(storageKey(clusterId)));
}

export function rememberSearch(clusterId: string, state: ExplorerState): void {
  const text = JSON.stringify(withSearch(recentSearches(clusterId), state));
  if (text.length <= storedCharsMax) localStorage.setItem(storageKey(clusterId), text);
}

/** A search in one line: `ACL logs · data.operation == "READ" · Last hour`. */
export function searchLabel(search: EventsSearch): string {
  const { types, filter, range, groupBy } = stateOf(search);
  return [
    types.length === 0 ? 'All types' : types.join(', '),
    filter,
    rangeLabel(range, 'local'),
    groupBy === '' ? '' : `by ${groupBy}`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}
