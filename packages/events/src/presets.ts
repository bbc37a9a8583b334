import { type EventTypeName, eventTypes } from './event-types.ts';
import { defaultRange, type TimeRange } from './time-range.ts';

/** A predefined search. */
interface Preset {
  readonly title: string;
  /** Empty means all. */
  readonly eventTypes: readonly EventTypeName[];
  readonly filter: string;
  readonly range: TimeRange;
  /** The field whose values are the series of the timeline. */
  readonly groupBy: string;
  /** The fields that say most about each event. */
  readonly columns?: readonly string[];
}

export const presets: readonly Preset[] = [
  {
    title: 'Warnings and Errors by Type',
    eventTypes: [],
    filter: 'data.log_level in ["warn", "error"]',
    range: defaultRange,
    groupBy: 'type',
  },
  {
    title: 'Denied Requests',
    eventTypes: ['acl_logs'],
    filter: 'data.log_level == "warn" and data.is_allowed == false',
    range: defaultRange,
    groupBy: 'data.principal',
    columns: ['data.principal', 'data.credential_name', 'data.reason'],
  },
  {
    title: 'Failed Logins',
    eventTypes: ['agent_logs'],
    filter: 'data.log_level == "warn" and data.message like "failed to authenticate%"',
    range: defaultRange,
    groupBy: 'data.user',
    columns: ['data.user', 'data.error', 'data.peer'],
  },
  {
    title: 'ACL by Operation',
    eventTypes: ['acl_logs'],
    filter: '',
    range: defaultRange,
    groupBy: 'data.operation',
  },
  {
    title: 'ACL by Resource Type',
    eventTypes: ['acl_logs'],
    filter: '',
    range: defaultRange,
    groupBy: 'data.resource_type',
  },
  {
    title: 'Pipeline Errors',
    eventTypes: ['pipeline_logs'],
    filter: 'data.log_level == "error"',
    range: defaultRange,
    groupBy: 'data.pipeline_name',
  },
  {
    title: 'Pipeline Warnings',
    eventTypes: ['pipeline_logs'],
    filter: 'data.log_level == "warn"',
    range: defaultRange,
    groupBy: 'data.pipeline_name',
  },
  {
    title: 'Events by Stage',
    eventTypes: ['pipeline_logs'],
    filter: '',
    range: defaultRange,
    groupBy: 'data.stage',
  },
];

/** Whether this release emits events that a preset can find. */
export function isPresetOffered({ eventTypes: types }: Pick<Preset, 'eventTypes'>): boolean {
  return types.length === 0 || types.some((type) => eventTypes[type].isEmitted);
}
