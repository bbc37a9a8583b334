import { consolePaths } from '@weir/api/console-paths';
import { type EventsSearch, readSearch } from '../state/events-search.ts';
import { type ExplorerState, searchOf, stateOf } from '../state/explorer-state.ts';

/** What a view keeps of a state: all but the event that is open, and the view itself. */
export function savedSearch(state: ExplorerState): EventsSearch {
  return searchOf({ ...state, event: '', near: '', view: '' });
}

interface SavedView {
  readonly id: string;
  readonly search: Readonly<Record<string, string | undefined>>;
}

/** The state that opens a view. One that another release saved may have parameters that mean nothing here. */
export function stateOfView({ id, search }: SavedView): ExplorerState {
  return { ...stateOf(readSearch(search)), event: '', near: '', view: id };
}

/** Whether a state is no longer that of its view. */
export function isChanged(view: SavedView, state: ExplorerState): boolean {
  return JSON.stringify(savedSearch(stateOfView(view))) !== JSON.stringify(savedSearch(state));
}

/** A link with the whole search, which also works for those who cannot see the view. */
export function pathOfView(clusterId: string, view: SavedView): string {
  return consolePaths.events(
    clusterId,
    searchOf(stateOfView(view)) as Parameters<typeof consolePaths.events>[1],
  );
}
