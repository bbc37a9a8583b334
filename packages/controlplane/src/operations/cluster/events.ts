import type { InputOf, OutputOf } from '@weir/api';
import { type ClusterPort, clusterConfigValue } from '@weir/cluster';
import { isPresetOffered, presets, type QueryAnswer, type QueryRequest, type Timeline } from '@weir/events';
import type { CallContext } from '../call-context.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { readClusterConfigs } from './cluster-reads.ts';
import { eventCursor, readEventCursor } from './event-cursors.ts';
import { queryEngine } from './event-queries.ts';
import { checkFilter, filterOf, timelineOf, windowAround, windowOf } from './event-questions.ts';
import { toEventResponse, toFieldResponse, toStatsResponse, toTimelineResponse } from './event-responses.ts';
import type { ClusterServices } from './services.ts';

type SearchInput = InputOf<'search_events'>;

/** The message if no topic has any event yet, as in the first seconds after events were turned on. */
const noDataMessage = 'No events data was found.';

export function eventOperations({ clusterPort, freshUuid }: ClusterServices) {
  /** Runs a query and checks the kind of its answer. */
  async function query<Kind extends QueryAnswer['kind']>(
    clusterId: string,
    request: QueryRequest & { readonly kind: Kind },
    context: CallContext,
  ): Promise<QueryAnswer & { readonly kind: Kind }> {
    const port = clusterPort(clusterId);
    await checkEnabled(port, context);
    const answer = await queryEngine(port, request, { queryId: freshUuid(), stop: context.stop });
    return answer as QueryAnswer & { readonly kind: Kind };
  }

  return {
    search_events: async (input, context) => {
      const { virtual_cluster_id, sort, limit, cursor, timeline } = input;
      if (cursor !== undefined && timeline !== undefined)
        throw new OperationFailed(
          'invalid_request',
          'timeline: goes with the first events only, without cursor',
        );
      const answer = await query(
        virtual_cluster_id,
        {
          kind: 'search',
          ...scopeOf(input, context),
          order: sort,
          limit,
          ...(cursor === undefined ? {} : { after: readEventCursor(cursor) }),
          ...(timeline === undefined ? {} : { timeline: timelineOf(timeline, 'timeline.') }),
        },
        context,
      );
      const last = answer.rows.at(-1);
      return {
        events: answer.rows.map(toEventResponse),
        truncated: answer.hasMore,
        next_cursor: answer.hasMore && last !== undefined ? eventCursor(last) : null,
        ...(answer.timeline === undefined ? {} : { timeline: requestedTimeline(answer.timeline, timeline) }),
        ...toBasisResponse(answer),
      };
    },

    get_events_timeline: async (input, context) => {
      const answer = await query(
        input.virtual_cluster_id,
        {
          kind: 'search',
          ...scopeOf(input, context),
          order: 'desc',
          limit: 0,
          timeline: timelineOf(input, ''),
        },
        context,
      );
      return { timeline: requestedTimeline(answer.timeline!, input), ...toBasisResponse(answer) };
    },

    list_event_fields: async (input, context) => {
      const answer = await query(
        input.virtual_cluster_id,
        { kind: 'fields', ...scopeOf(input, context) },
        context,
      );
      return {
        fields: answer.fields.map(toFieldResponse),
        sampled_events: answer.sampledEvents,
        is_sample: answer.isSample,
        ...toBasisResponse(answer),
      };
    },

    get_event: async ({ virtual_cluster_id, event_id, event_types, near, neighbors }, context) => {
      const nearMs = near === undefined ? undefined : Date.parse(near);
      if (nearMs !== undefined && Number.isNaN(nearMs))
        throw new OperationFailed('invalid_request', 'near: is not a time such as 2026-01-31T12:00:00Z');
      const answer = await query(
        virtual_cluster_id,
        {
          kind: 'event',
          types: event_types,
          window: windowAround(nearMs, context.clock.nowMs()),
          id: event_id,
          ...(nearMs === undefined ? {} : { nearMs }),
          neighbours: neighbors,
        },
        context,
      );
      if (answer.event === undefined) throw new OperationFailed('not_found', whereNotFound(answer, near));
      return {
        event: toEventResponse(answer.event),
        before: answer.before.map(toEventResponse),
        after: answer.after.map(toEventResponse),
        stats: toStatsResponse(answer.stats),
      };
    },

    list_event_presets: async () => ({
      presets: presets.map(({ title, eventTypes, filter, range, groupBy, columns }) => ({
        title,
        event_types: [...eventTypes],
        filter,
        time_range: { ...range },
        group_by: groupBy,
        ...(columns === undefined ? {} : { columns: [...columns] }),
        emitted: isPresetOffered({ eventTypes }),
      })),
    }),

    check_event_filter: async (input, context) => {
      const checked = checkFilter(input, input.event_types);
      if (!input.with_estimate || !checked.is_valid) return checked;
      const answer = await query(
        input.virtual_cluster_id,
        { kind: 'estimate', ...scopeOf(input, context) },
        context,
      );
      const { events, bytes, partial, hasNoData } = answer;
      return {
        ...checked,
        estimate: { events, bytes, is_partial: partial !== undefined },
        ...(hasNoData ? { message: noDataMessage } : {}),
      };
    },
  } satisfies SomeHandlers;
}

function scopeOf(
  input: Pick<SearchInput, 'event_types' | 'time_range' | 'filter' | 'filter_builder'>,
  { clock }: CallContext,
) {
  return {
    types: input.event_types,
    window: windowOf(input.time_range, clock.nowMs()),
    filter: filterOf(input),
  };
}

/** An agent of an earlier release ignores the second field, so its answer does not fit the query. */
function requestedTimeline(
  timeline: Timeline,
  wanted: { readonly then_by?: string | undefined } | undefined,
) {
  const isDivided = timeline.series.every(({ key, thenKey }) => key === undefined || thenKey !== undefined);
  if (wanted?.then_by !== undefined && !isDivided)
    throw new OperationFailed(
      'unavailable',
      'The agent that ran the query is too old to group by two fields; upgrade the agents, or omit then_by.',
    );
  return toTimelineResponse(timeline);
}

async function checkEnabled(port: ClusterPort, context: CallContext): Promise<void> {
  const clusterConfigs = await readClusterConfigs(port, context);
  if (!clusterConfigValue('service.events.enabled', clusterConfigs))
    throw new OperationFailed('events_disabled');
}

function toBasisResponse({
  stats,
  partial,
  hasNoData,
}: QueryAnswer): Pick<OutputOf<'search_events'>, 'stats' | 'partial' | 'message'> {
  return {
    stats: toStatsResponse(stats),
    ...(partial === undefined ? {} : { partial }),
    ...(hasNoData ? { message: noDataMessage } : {}),
  };
}

function whereNotFound({ partial, hasNoData }: QueryAnswer, near: string | undefined): string {
  if (hasNoData) return noDataMessage;
  if (partial !== undefined)
    return 'The search timed out before it found the event; set near to the time of the event.';
  return near === undefined
    ? 'No event of the last 24 hours has this id; for an older event, set near to its time.'
    : 'No event within twelve hours of that time has this id.';
}
