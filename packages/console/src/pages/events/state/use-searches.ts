import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, type CallOf, type OperationName, type OutputOf } from '@weir/api/client';
import { useRef } from 'react';
import { call } from '../../../api/client.ts';
import { inTurn } from '../search-queue.ts';
import type { ExplorerState } from './explorer-state.ts';
import { scopeInput, timelineInput } from './search-input.ts';

/** The key of all searches of the page, by which they are stopped. */
export const searchesKey = 'event searches';
const attemptsMax = 4;

/** One search of the page: its newest answer stays while the next is on its way, and also when that fails. */
export interface Search<Name extends OperationName> {
  readonly answer: OutputOf<Name> | undefined;
  /** Whether the answer is that of an earlier search. */
  readonly isOld: boolean;
  readonly isRunning: boolean;
  readonly isStopped: boolean;
  readonly error: unknown;
}

interface SearchOptions {
  /** A new number searches again, because the time has moved on. */
  readonly run: number;
  /** Likewise, for one of the searches. */
  readonly part?: number;
  readonly isEnabled: boolean;
}

interface SearchesOptions extends SearchOptions {
  /** A new number draws the timeline again, and nothing else. */
  readonly refreshes: number;
  readonly isLive: boolean;
}

function useSearch<Name extends OperationName>(
  name: Name,
  input: CallOf<Name>,
  { run, part = 0, isEnabled }: SearchOptions,
): Search<Name> {
  const query = useQuery({
    queryKey: [searchesKey, name, input, run, part],
    queryFn: ({ signal }): Promise<OutputOf<Name>> => inTurn(signal, () => call(name, input, signal)),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: (failures, error) =>
      failures < attemptsMax && error instanceof ApiError && error.code === 'too_many_queries',
  });
  const last = useRef<OutputOf<Name>>(undefined);
  const isNew = query.data !== undefined && !query.isPlaceholderData;
  if (isNew) last.current = query.data;
  const isRunning = query.fetchStatus === 'fetching';
  return {
    answer: last.current,
    isOld: last.current !== undefined && !isNew,
    isRunning,
    isStopped: isEnabled && !isNew && !isRunning && !query.isError,
    error: query.isError ? query.error : undefined,
  };
}

export interface Searches {
  readonly rows: Search<'search_events'>;
  readonly timeline: Search<'get_events_timeline'>;
  readonly fields: Search<'list_event_fields'>;
  readonly isRunning: boolean;
  /** Cancels what runs; the control plane sees the connection close and cancels it at the agent. */
  stop(): void;
}

/** The three searches of the explorer. They wait for each other, rows first. */
export function useSearches(
  clusterId: string,
  state: ExplorerState,
  { run, isEnabled, refreshes, isLive }: SearchesOptions,
): Searches {
  const queries = useQueryClient();
  const scope = scopeInput(clusterId, state);
  const rows = useSearch('search_events', { ...scope, sort: state.sort }, { run, isEnabled });
  const timeline = useSearch(
    'get_events_timeline',
    { ...scope, ...timelineInput(state) },
    { run, part: refreshes, isEnabled: isEnabled && state.chart !== 'off' },
  );
  const fields = useSearch('list_event_fields', scope, { run, isEnabled });
  return {
    rows,
    timeline: isLive ? { ...timeline, isOld: false } : timeline,
    fields,
    // A timeline that follows live events is no search that a person waits for.
    isRunning: rows.isRunning || fields.isRunning || (timeline.isRunning && !isLive),
    stop: () => void queries.cancelQueries({ queryKey: [searchesKey] }),
  };
}
