import type { CallOf } from '@weir/api/client';
import { zoneName } from '../time/zone-name.ts';
import type { ExplorerState } from './explorer-state.ts';

type TimeRangeInput = NonNullable<CallOf<'search_events'>['time_range']>;

/** What the operations take of a state. */
export function scopeInput(clusterId: string, { types, filter, range, zone }: ExplorerState) {
  return {
    virtual_cluster_id: clusterId,
    event_types: [...types],
    time_range: timeRangeInput(range, zone),
    filter,
  };
}

function timeRangeInput(range: ExplorerState['range'], zone: ExplorerState['zone']): TimeRangeInput {
  return { ...range, time_zone: zoneName(zone) };
}

/** One less than charts have colours: the last, a grey, is that of all other values. */
const seriesMax = 7;

export function timelineInput({ groupBy, thenBy, aggregation, field }: ExplorerState) {
  return {
    ...(groupBy === '' ? {} : { group_by: groupBy }),
    ...(thenBy === '' ? {} : { then_by: thenBy }),
    aggregation,
    ...(field === '' ? {} : { field }),
    series_limit: seriesMax,
  };
}
