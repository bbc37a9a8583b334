import { clusterKind } from '@weir/core';
import { type EventTypeName, eventTypesIn } from '@weir/events';
import type { ExplorerState } from './explorer-state.ts';

/** Events that are samples of metrics: thousands an hour, among which others cannot be seen. */
export const metricsType = 'cluster_metrics' satisfies EventTypeName;

/** Whether a search leaves out metrics because no types were chosen. */
export function hidesMetrics({ types, metrics }: Pick<ExplorerState, 'types' | 'metrics'>): boolean {
  return types.length === 0 && metrics === 'hide';
}

/** The types that a search asks for; none are all. */
export function searchedTypes(
  clusterId: string,
  state: Pick<ExplorerState, 'types' | 'metrics'>,
): readonly EventTypeName[] {
  if (!hidesMetrics(state)) return state.types;
  return eventTypesIn(clusterKind(clusterId)).filter((type) => type !== metricsType);
}
