import type { CallOf, OutputOf } from '@weir/api';
import type { DesiredEvents } from '../desired.ts';
import { changesOf, nothing, update } from './changes.ts';
import type { PlanContext } from './plan-context.ts';
import type { Change, Step } from './step.ts';

type EventsChange = Omit<CallOf<'update_events_state'>, 'virtual_cluster_id'>;
type EventsState = OutputOf<'get_events_state'>;

/** Plans which events are stored, and for how long. */
export function planEvents({ desired, actual }: PlanContext): Step[] {
  const { events } = desired;
  if (events === undefined) return [];
  const changes = changesOf(
    textsOf(events),
    actual?.events === undefined ? undefined : textsOf(actual.events),
  );
  if (changes.length === 0) return [nothing(desired, 'events')];
  return [
    update(desired, {
      kind: 'events',
      name: '',
      phase: 'events',
      changes,
      task: { operation: 'update_events_state', input: inputOf(events, changes) },
    }),
  ];
}

/** Every value by its path, as text. */
function textsOf({
  enabled,
  event_types = {},
}: DesiredEvents | EventsState): Record<string, string | undefined> {
  const texts: Record<string, string | undefined> = { enabled: textOf(enabled) };
  for (const [type, state] of Object.entries(event_types)) {
    texts[`${type}.enabled`] = textOf(state?.enabled);
    texts[`${type}.retention_period_nanos`] = textOf(state?.retention_period_nanos);
  }
  return texts;
}

function textOf(value: boolean | number | bigint | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

/** The API input with only the changed values. */
function inputOf({ enabled, event_types = {} }: DesiredEvents, changes: readonly Change[]): EventsChange {
  const changed = new Set(changes.map(({ field }) => field));
  const types = Object.entries(event_types).flatMap(([type, state]) => {
    const enabledNow = changed.has(`${type}.enabled`) ? { enabled: state?.enabled } : {};
    const retentionNow = changed.has(`${type}.retention_period_nanos`)
      ? { retention_period_nanos: state?.retention_period_nanos }
      : {};
    const change = { ...enabledNow, ...retentionNow };
    return Object.keys(change).length === 0 ? [] : [[type, change]];
  });
  return {
    ...(changed.has('enabled') ? { enabled } : {}),
    ...(types.length === 0 ? {} : { event_types: Object.fromEntries(types) as EventsChange['event_types'] }),
  };
}
