import { systemClock } from '@weir/core';
import { type EventTypeName, parseFilter, resolveTimeRange } from '@weir/events';
import { useEffect, useRef, useState } from 'react';
import { useClusterId } from '../../../api/use-cluster.ts';
import { say } from '../../../ui/toasts.tsx';
import { withCondition } from '../filter/add-condition.ts';
import { draftOf, type FilterDraft, filterOf, withFilter } from '../filter/filter-draft.ts';
import type { Literal } from '../filter/literal-text.ts';
import { liveProblem } from '../live/live-problem.ts';
import { type LiveTail, useLiveTail } from '../live/use-live-tail.ts';
import { zoneName } from '../time/zone-name.ts';
import type { ExplorerState } from './explorer-state.ts';
import { rememberSearch } from './recent-searches.ts';
import { scopeInput } from './search-input.ts';
import { searchedTypes } from './searched-types.ts';
import { type Searches, useSearches } from './use-searches.ts';

/** What a page fixes of the search: the type on the page of ACLs, the pipeline on that of a pipeline. */
interface ExplorerScope {
  readonly types?: readonly EventTypeName[];
  /** A filter that applies in addition to the typed one. */
  readonly filter?: string;
}

export interface ExplorerProps {
  readonly state: ExplorerState;
  /** Writes a state to the URL: as a new place that the back button leaves, or instead of the present one. */
  readonly onState: (state: ExplorerState, options: { readonly isSamePlace: boolean }) => void;
  readonly scope?: ExplorerScope;
}

export interface Explorer {
  readonly clusterId: string;
  readonly state: ExplorerState;
  /** The search with what the page fixes. */
  readonly effective: ExplorerState;
  readonly scope: ExplorerScope;
  /** Whether nothing is fixed. */
  readonly isWhole: boolean;
  readonly searches: Searches;
  readonly draft: FilterDraft;
  /** What is wrong with the filter or the time of the search that the URL has. */
  readonly problem: string | undefined;
  /** The events as they arrive. */
  readonly tail: LiveTail;
  /** Why the link asks for live events in vain. */
  readonly liveProblem: string | undefined;
  toggleLive(): void;
  setDraft(draft: FilterDraft): void;
  /** The search with the filter as it is written now. */
  written(): ExplorerState;
  /** Searches with the filter as it is written now, and with these changes. */
  search(changes?: Partial<ExplorerState>): void;
  /** Changes how things are shown, which is no step to go back by. */
  show(changes: Partial<ExplorerState>): void;
  addCondition(field: string, operator: '==' | '!=', value: Literal): void;
  stop(): void;
  readonly canUndo: boolean;
  /** Goes back to the search before. */
  undo(): void;
}

/** Searches that can be undone. */
const earlierMax = 100;
/** While events are live, the timeline is drawn again after so many polls. */
const pollsPerTimeline = 5;

export function useExplorer({ state, onState, scope: given }: ExplorerProps): Explorer {
  const clusterId = useClusterId();
  const scope = given ?? {};
  const isWhole = given === undefined;
  const [run, setRun] = useState(0);
  const [draft, setDraft] = useState(() => draftOf(state.filter, state.mode));
  // A link, the back button or a preset brings another filter, and a view another way to write it.
  useEffect(() => {
    setDraft((before) => {
      if (before.mode !== state.mode) return draftOf(state.filter, state.mode);
      return filterOf(before).text === state.filter ? before : withFilter(before, state.filter);
    });
  }, [state.filter, state.mode]);
  const effective: ExplorerState = {
    ...state,
    types: scope.types ?? searchedTypes(clusterId, state),
    filter: chained(scope.filter, state.filter),
  };
  const earlier = useRef<readonly ExplorerState[]>([]);
  const problem = problemOf(state);
  const [polls, setPolls] = useState(0);
  const isLive = state.live !== 'off';
  const searches = useSearches(clusterId, effective, {
    run,
    isEnabled: problem === undefined,
    refreshes: Math.floor(polls / pollsPerTimeline),
    isLive,
  });
  const notLive = isLive ? liveProblemOf(state) : undefined;
  const { time_range: _, ...input } = scopeInput(clusterId, effective);
  const tail = useLiveTail({
    input,
    answer: searches.rows.answer,
    isCurrent: !searches.rows.isOld,
    isOn: state.live === 'on' && problem === undefined && notLive === undefined,
    onPolled: () => setPolls((before) => before + 1),
  });
  const asWritten = (): ExplorerState => ({ ...state, filter: filterOf(draft).text, mode: draft.mode });
  const search = (changes: Partial<ExplorerState> = {}) => {
    const written = filterOf(draft);
    if (changes.filter === undefined && written.problem !== undefined && draft.mode === 'builder') {
      say(`Invalid row: ${written.problem}`, 'fail');
      return;
    }
    // A comparison is about one time.
    const wanted = { ...asWritten(), ...(changes.range === undefined ? {} : { compare: '' }), ...changes };
    const refused = wanted.live === 'off' ? undefined : liveProblemOf(wanted);
    if (refused !== undefined) say(refused, 'warn');
    const next: ExplorerState = refused === undefined ? wanted : { ...wanted, live: 'off' };
    const isSamePlace = JSON.stringify(next) === JSON.stringify(state);
    if (!isSamePlace) earlier.current = [...earlier.current.slice(-earlierMax), state];
    if (isWhole) rememberSearch(clusterId, next);
    setRun((before) => before + 1);
    onState(next, { isSamePlace });
  };
  return {
    clusterId,
    state,
    effective,
    scope,
    isWhole,
    searches,
    draft,
    problem,
    tail,
    liveProblem: notLive,
    toggleLive: () => search(isLive ? { live: 'off' } : { live: 'on', sort: 'desc' }),
    setDraft,
    written: asWritten,
    search,
    show: (changes) => onState({ ...state, ...changes }, { isSamePlace: true }),
    addCondition(field, operator, value) {
      const written = filterOf(draft);
      const filter =
        written.problem === undefined ? withCondition(written.text, field, operator, value) : undefined;
      if (filter === undefined) say('The filter is invalid; correct it before adding a condition', 'warn');
      else search({ filter });
    },
    stop: () => searches.stop(),
    canUndo: earlier.current.length > 0,
    undo() {
      const before = earlier.current.at(-1);
      if (before === undefined) return;
      earlier.current = earlier.current.slice(0, -1);
      onState(before, { isSamePlace: false });
    },
  };
}

function chained(fixed: string | undefined, filter: string): string {
  if (fixed === undefined || fixed === '') return filter;
  return filter.trim() === '' ? fixed : `${fixed} | ${filter}`;
}

/** Found here rather than by the control plane, so that a mistake costs no search. */
function problemOf({ filter, range, zone }: ExplorerState): string | undefined {
  const [wrong] = parseFilter(filter).problems ?? [];
  if (wrong !== undefined) return `Invalid filter at column ${wrong.column}: ${wrong.message}`;
  const { problem } = resolveTimeRange(range, { nowMs: systemClock.nowMs(), timeZone: zoneName(zone) });
  return problem === undefined ? undefined : `Invalid time range: ${problem.message}`;
}

function liveProblemOf({ range, zone }: ExplorerState): string | undefined {
  return liveProblem(range, { nowMs: systemClock.nowMs(), zone, timeZone: zoneName(zone) });
}
