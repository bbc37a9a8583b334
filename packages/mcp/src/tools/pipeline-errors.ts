import { ApiError, type ErrorCode, type OutputOf, type PipelineType } from '@weir/api';
import { coreLimits, type EventTypeName } from '@weir/core';
import { type EventRecord, eventMessage, printLiteral } from '@weir/events';
import type { ToolContext } from './tool-context.ts';

type Listed = OutputOf<'list_pipelines'>['pipelines'][number];

/**
 * The event type with the errors of a pipeline type. Events about tables do not name a pipeline, and registries have no
 * events.
 */
const eventTypeOf: Partial<Record<PipelineType, EventTypeName>> = {
  bento: 'pipeline_logs',
  orbit: 'orbit_logs',
};

interface PipelineErrors {
  /** In the last 24 hours; null if they could not be counted. */
  readonly errors_24h: number | null;
  readonly last_error: string | null;
  readonly last_error_at: string | null;
}

export interface FoundErrors {
  of(pipeline: Listed): PipelineErrors;
  /** Why some are not counted, and what to do. */
  readonly note: string | undefined;
}

const unknown: PipelineErrors = { errors_24h: null, last_error: null, last_error_at: null };
const none: PipelineErrors = { errors_24h: 0, last_error: null, last_error_at: null };

const eventsOffNote =
  'Errors are not known, because events are off here; an administrator can turn them on with weir cli events enable, or with update_events_state.';

/** Finds recent errors of pipelines. A cluster that cannot answer does not fail the rest. */
export async function findErrors(
  pipelines: readonly Listed[],
  clusterId: string,
  context: ToolContext,
): Promise<FoundErrors> {
  const withEvents = pipelines.filter(({ type }) => eventTypeOf[type] !== undefined);
  if (withEvents.length === 0) return { of: () => unknown, note: undefined };
  try {
    const recorded = await recordedTypes(clusterId, context);
    const counted = withEvents.filter(({ type }) => recorded.has(eventTypeOf[type]!));
    const found = await search(counted, clusterId, context);
    const ids = new Set(counted.map(({ id }) => id));
    return {
      of: ({ id, name }) => (ids.has(id) ? (found.byName.get(name) ?? none) : unknown),
      note: counted.length < withEvents.length ? eventsOffNote : found.note,
    };
  } catch (error) {
    if (!(error instanceof ApiError) || !passing.has(error.code)) throw error;
    return {
      of: () => unknown,
      note: error.code === 'events_disabled' ? eventsOffNote : `Errors are not known: ${error.message}`,
    };
  }
}

/** Expected reasons why a cluster cannot return events. */
const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'events_disabled',
  'no_query_engine',
  'too_many_queries',
  'unavailable',
]);

async function recordedTypes(clusterId: string, context: ToolContext): Promise<ReadonlySet<string>> {
  const { enabled, event_types: types } = await context.call('get_events_state', {
    virtual_cluster_id: clusterId,
  });
  return new Set(
    enabled ? Object.entries(types).flatMap(([type, state]) => (state?.enabled ? [type] : [])) : [],
  );
}

interface Search {
  readonly byName: ReadonlyMap<string, PipelineErrors>;
  readonly note: string | undefined;
}

/** Searches as many pipelines at a time as an answer has series for. */
async function search(
  pipelines: readonly Listed[],
  clusterId: string,
  context: ToolContext,
): Promise<Search> {
  const byName = new Map<string, PipelineErrors>();
  let isPartial = false;
  for (let begin = 0; begin < pipelines.length; begin += coreLimits.eventSeriesMax) {
    const some = pipelines.slice(begin, begin + coreLimits.eventSeriesMax);
    const { events, timeline, partial } = await context.call('search_events', {
      virtual_cluster_id: clusterId,
      event_types: [...new Set(some.map(({ type }) => eventTypeOf[type]!))],
      filter: `data.log_level == "error" and data.pipeline_name in [${some.map(({ name }) => printLiteral(name)).join(', ')}]`,
      time_range: { relative: '24h' },
      timeline: { group_by: 'data.pipeline_name', series_limit: coreLimits.eventSeriesMax },
    });
    isPartial ||= partial !== undefined;
    for (const { key, count, is_other } of timeline?.series ?? []) {
      if (is_other || count === 0) continue;
      // If the errors of a pipeline are all older than those of others, only their count is known here.
      const last = events.find(({ data }) => data.pipeline_name === key);
      byName.set(String(key), {
        errors_24h: count,
        last_error:
          last === undefined ? null : eventMessage({ data: last.data as EventRecord['data'] }).slice(0, 256),
        last_error_at: last?.time ?? null,
      });
    }
  }
  return {
    byName,
    note: isPartial ? 'There are so many events that more errors may have happened.' : undefined,
  };
}

/** The search that shows these errors. */
export function errorSearch({ type, name }: Listed) {
  return {
    event_types: [eventTypeOf[type] ?? 'pipeline_logs'],
    filter: `data.log_level == "error" and data.pipeline_name == ${printLiteral(name)}`,
    time_range: { relative: '24h' },
  };
}

/** Recent lines of one pipeline that say that something failed, the latest first. */
export async function recentProblems(pipeline: Listed, clusterId: string, context: ToolContext) {
  const type = eventTypeOf[pipeline.type];
  if (type === undefined || !(await isRecorded(type, clusterId, context))) return [];
  try {
    const { events } = await context.call('search_events', {
      virtual_cluster_id: clusterId,
      event_types: [type],
      filter: `data.log_level in ["error", "warn"] and data.pipeline_name == ${printLiteral(pipeline.name)}`,
      time_range: { relative: '24h' },
      limit: recentMax,
    });
    return events.map(({ id, time, data }) => ({
      time,
      stage: typeof data.stage === 'string' ? data.stage : null,
      message: textOf(data as EventRecord['data']),
      event_id: id,
    }));
  } catch (error) {
    if (!(error instanceof ApiError) || !passing.has(error.code)) throw error;
    return [];
  }
}

const recentMax = 5;

async function isRecorded(type: string, clusterId: string, context: ToolContext): Promise<boolean> {
  try {
    return (await recordedTypes(clusterId, context)).has(type);
  } catch (error) {
    if (!(error instanceof ApiError) || !passing.has(error.code)) throw error;
    return false;
  }
}

/** The message of an event is constant; the error beside it says what failed. */
function textOf(data: EventRecord['data']): string {
  const { error } = data as { readonly error?: unknown };
  const message = eventMessage({ data });
  return (typeof error === 'string' ? `${message}: ${error}` : message).slice(0, 256);
}
