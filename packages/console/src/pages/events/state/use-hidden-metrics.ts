import { useQuery } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { inTurn } from '../search-queue.ts';
import { scopeInput } from './search-input.ts';
import { hidesMetrics, metricsType } from './searched-types.ts';
import type { Explorer } from './use-explorer.ts';
import { searchesKey } from './use-searches.ts';

/** How many events a search of all types leaves out. They are counted after the other searches have begun. */
export function useHiddenMetrics({
  clusterId,
  state,
  effective,
  scope,
  problem,
  searches,
}: Pick<Explorer, 'clusterId' | 'state' | 'effective' | 'scope' | 'problem' | 'searches'>): {
  readonly count: number | undefined;
  readonly isHidden: boolean;
} {
  const isHidden = scope.types === undefined && hidesMetrics(state);
  const input = {
    ...scopeInput(clusterId, { ...effective, types: [metricsType] }),
    aggregation: 'count' as const,
    series_limit: 1,
  };
  const { data } = useQuery({
    queryKey: [searchesKey, 'hidden metrics', input],
    queryFn: ({ signal }) => inTurn(signal, () => call('get_events_timeline', input, signal)),
    enabled: isHidden && problem === undefined && searches.rows.answer !== undefined,
    refetchOnWindowFocus: false,
    retry: false,
  });
  const count = data?.timeline.series.reduce((sum, { total }) => sum + (total ?? 0), 0);
  return { count, isHidden };
}
