import { useQuery } from '@tanstack/react-query';
import { ApiError } from '@weir/api/client';
import { coreLimits } from '@weir/core';
import { call } from '../../../api/client.ts';
import { inTurn } from '../search-queue.ts';
import { comparedOf } from '../state/explorer-state.ts';
import { scopeInput } from '../state/search-input.ts';
import type { Explorer } from '../state/use-explorer.ts';
import { searchesKey } from '../state/use-searches.ts';
import { countsIn, type Difference, fieldsToCount, rankDifferences } from './rank-differences.ts';

/** Fields that are counted, each by a search over the whole time. */
const fieldsMax = 8;
const attemptsMax = 4;

export interface Comparison {
  readonly differences: readonly Difference[];
  readonly selectedEvents: number;
  readonly restEvents: number;
  readonly countedFields: number;
  readonly fields: number;
  readonly scanned: number;
  readonly ms: number;
  /** Whether a search stopped before its end. */
  readonly isPartial: boolean;
  /** Whether a field has more values than are counted apart. */
  readonly hasOther: boolean;
}

/**
 * Compares the selected part of the time with the rest. Two samples find the fields that may differ, and those are
 * counted in all events.
 */
export function useComparison(explorer: Explorer) {
  const { effective, clusterId, problem } = explorer;
  const part = comparedOf(effective.compare);
  const all = scopeInput(clusterId, effective);
  return useQuery({
    queryKey: [searchesKey, 'compare', all, effective.compare],
    queryFn: ({ signal }) => compare(all, part!, signal),
    enabled: part !== undefined && problem === undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: (failures, error) =>
      failures < attemptsMax && error instanceof ApiError && error.code === 'too_many_queries',
  });
}

async function compare(
  all: ReturnType<typeof scopeInput>,
  part: NonNullable<ReturnType<typeof comparedOf>>,
  signal: AbortSignal,
): Promise<Comparison> {
  const time_range = {
    start: new Date(part.startMs).toISOString(),
    end: new Date(part.endMs).toISOString(),
  };
  const [selected, whole] = await Promise.all([
    inTurn(signal, () => call('list_event_fields', { ...all, time_range }, signal)),
    inTurn(signal, () => call('list_event_fields', all, signal)),
  ]);
  const names = fieldsToCount(selected, whole, fieldsMax);
  const timelines = await Promise.all(
    names.map((group_by) =>
      inTurn(signal, () =>
        call(
          'get_events_timeline',
          { ...all, group_by, aggregation: 'count', series_limit: coreLimits.eventSeriesMax },
          signal,
        ),
      ),
    ),
  );
  const counted = timelines.map(({ timeline }, at) => countsIn(names[at]!, timeline, part));
  const answers = [selected, whole, ...timelines];
  const sum = (of: (answer: (typeof answers)[number]) => number) =>
    answers.reduce((total, answer) => total + of(answer), 0);
  return {
    differences: rankDifferences(counted),
    selectedEvents: Math.max(0, ...counted.map(({ selectedTotal }) => selectedTotal)),
    restEvents: Math.max(0, ...counted.map(({ restTotal }) => restTotal)),
    countedFields: names.length,
    fields: whole.fields.length,
    scanned: sum(({ stats }) => stats.events_scanned),
    ms: sum(({ stats }) => stats.ms),
    isPartial: answers.some(({ partial }) => partial !== undefined),
    hasOther: counted.some(({ hasOther }) => hasOther),
  };
}
