import type { InputOf, OutputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { timeText } from '@weir/core';
import { describeCheck } from '@weir/diagnostics';
import type { AlertsPlace } from '../../accounts/alerts/alert-channels.ts';
import type { NotificationPlace } from '../../accounts/alerts/alert-records.ts';
import type { Alert, AlertNotification, AlertSource, AlertState } from '../../accounts/alerts/alert-types.ts';
import { newAlertState } from '../../accounts/alerts/alert-types.ts';
import type { AuditChange } from '../../accounts/audit/audit-log.ts';
import { boundedText } from '../../accounts/common/bounded-text.ts';
import type { AccountsDatabase } from '../../accounts/open.ts';
import { isMuted } from '../../alerts/step-alert.ts';
import type { CallContext } from '../call-context.ts';
import { cursorOf, placeOf as placeOfCursor } from '../cluster/cursors.ts';
import { scopeOfSearch } from '../cluster/event-counts.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { timeOrNull } from './alert-channels.ts';

type SourceGiven = Pick<InputOf<'update_alert'>, 'events' | 'diagnostics'>;

export function alertHandlers({
  alerts,
  alertRecords,
  eventViews,
}: Pick<AccountsDatabase, 'alerts' | 'alertRecords' | 'eventViews'>) {
  /** The source that was given, if any. A search whose filter is wrong would never fire. */
  async function sourceOf(
    { events, diagnostics }: SourceGiven,
    { cluster }: CallContext,
  ): Promise<AlertSource | undefined> {
    if (events !== undefined) {
      const { view_id: viewId, more_than: moreThan, within_minutes: withinMinutes } = events;
      const { workspaceId } = cluster!;
      const view = await eventViews.get({ workspaceId, viewId, userId: undefined });
      scopeOfSearch(view.search);
      return { kind: 'events', viewId, moreThan, withinMinutes };
    }
    if (diagnostics === undefined) return undefined;
    const { diagnostic_ids: diagnosticIds, min_severity: minSeverity } = diagnostics;
    const unknown = diagnosticIds.find((name) => describeCheck(name) === undefined);
    if (unknown !== undefined)
      throw new OperationFailed('invalid_request', `diagnostics.diagnostic_ids: ${unknown} is unknown`);
    return { kind: 'diagnostics', diagnosticIds, minSeverity };
  }

  return {
    async list_alerts(input, { accountId, cluster, clock }) {
      const place = placeOf(input, accountId);
      const all = await alerts.list(place);
      const states = new Map(
        (await alertRecords.load(place.clusterId)).map(({ alert, state }) => [alert.id, state]),
      );
      const views = await eventViews.list(cluster!.workspaceId, undefined);
      const nameOf = (viewId: string) => views.find(({ id }) => id === viewId)?.name ?? '';
      return {
        alerts: all.map((alert) =>
          toResponse(alert, states.get(alert.id) ?? newAlertState, { nameOf, nowMs: clock.nowMs() }),
        ),
      };
    },

    async create_alert(input, context) {
      const { accountId, actorName, changed } = context;
      const source = (await sourceOf(input, context))!;
      const { id } = await alerts.create(
        placeOf(input, accountId),
        {
          name: input.alert_name,
          source,
          channelIds: input.channel_ids,
          repeatMinutes: input.repeat_minutes,
          notifiesResolved: input.notifies_resolved,
          isEnabled: input.is_enabled,
        },
        actorName,
      );
      changed([{ name: 'source', before: null, after: JSON.stringify(source) }]);
      return { alert_id: id };
    },

    async update_alert(input, context) {
      const { accountId, actorName, changed } = context;
      const { before, after } = await alerts.change(
        placeOf(input, accountId),
        input.alert_id,
        {
          name: input.alert_name,
          source: await sourceOf(input, context),
          channelIds: input.channel_ids,
          repeatMinutes: input.repeat_minutes,
          notifiesResolved: input.notifies_resolved,
          isEnabled: input.is_enabled,
        },
        actorName,
      );
      changed(changesOf(before, after));
      return {};
    },

    async delete_alert(input, { accountId, changed }) {
      const place = placeOf(input, accountId);
      const { name } = await alerts.get(place, input.alert_id);
      await alerts.delete(place, input.alert_id);
      changed([{ name: 'name', before: name, after: null }]);
      return {};
    },

    async mute_alert(input, { accountId, actorName: by, clock, changed }) {
      const { until, reason = '' } = input;
      const untilMs = until === undefined ? null : Date.parse(until);
      if (untilMs !== null && untilMs <= clock.nowMs())
        throw new OperationFailed('invalid_request', 'until: is in the past; choose a later time');
      const mute = { by, untilMs, reason };
      const { before, after } = await alerts.mute(placeOf(input, accountId), input.alert_id, mute, by);
      changed(changesOf(before, after));
      return {};
    },

    async unmute_alert(input, { accountId, actorName, changed }) {
      const place = placeOf(input, accountId);
      const { before, after } = await alerts.mute(place, input.alert_id, undefined, actorName);
      changed(changesOf(before, after));
      return {};
    },

    async list_alert_history(input, { accountId }) {
      const { virtual_cluster_id: clusterId, alert_id: alertId, limit, cursor } = input;
      if (alertId !== undefined) await alerts.get(placeOf(input, accountId), alertId);
      const after = cursor === undefined ? undefined : notificationPlaceOf(cursor);
      // One more than is shown shows whether there is another page.
      const found = await alertRecords.history({ clusterId, alertId, after, limit: limit + 1 });
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      return {
        notifications: shown.map(toNotificationResponse),
        next_cursor: found.length > limit && last !== undefined ? notificationCursor(last) : null,
      };
    },
  } satisfies SomeHandlers;
}

type Response = OutputOf<'list_alerts'>['alerts'][number];

function toResponse(
  alert: Alert,
  state: AlertState,
  { nameOf, nowMs }: { readonly nameOf: (viewId: string) => string; readonly nowMs: number },
): Response {
  const { source, mute } = alert;
  const isNowMuted = isMuted(alert, nowMs);
  return {
    id: alert.id,
    name: alert.name,
    events:
      source.kind === 'events'
        ? {
            view_id: source.viewId,
            view_name: nameOf(source.viewId),
            more_than: source.moreThan,
            within_minutes: source.withinMinutes,
          }
        : null,
    diagnostics:
      source.kind === 'diagnostics'
        ? { diagnostic_ids: [...source.diagnosticIds], min_severity: source.minSeverity }
        : null,
    channel_ids: [...alert.channelIds],
    repeat_minutes: alert.repeatMinutes,
    notifies_resolved: alert.notifiesResolved,
    is_enabled: alert.isEnabled,
    state: stateOf(state),
    summary: bounded(state.summary),
    problem: state.problem === null ? null : bounded(state.problem),
    firing_since: timeOrNull(state.firingSinceMs),
    last_fired_at: timeOrNull(state.lastFiredMs),
    last_checked_at: timeOrNull(state.checkedMs),
    is_muted: isNowMuted,
    muted_until: isNowMuted ? timeOrNull(mute?.untilMs) : null,
    muted_by: isNowMuted ? (mute?.by ?? null) : null,
    mute_reason: isNowMuted ? (mute?.reason ?? null) : null,
    updated_at: timeText(alert.updatedMs),
    updated_by: alert.updatedBy,
  };
}

function stateOf({ checkedMs, problem, firing }: AlertState): Response['state'] {
  if (checkedMs === null) return 'pending';
  if (problem !== null) return 'failed';
  return firing.length > 0 ? 'firing' : 'ok';
}

function toNotificationResponse({
  alertId,
  message,
  isMuted: wasMuted,
  deliveries,
}: AlertNotification): OutputOf<'list_alert_history'>['notifications'][number] {
  return {
    alert_id: alertId,
    alert_name: message.alertName,
    kind: message.kind,
    time: timeText(message.atMs),
    summary: bounded(message.summary),
    is_muted: wasMuted,
    deliveries: deliveries.map(({ channelId, channelName, state, attempts, lastError, endedMs }) => ({
      channel_id: channelId,
      channel_name: channelName,
      state,
      attempts,
      last_error: lastError === null ? null : bounded(lastError),
      ended_at: timeOrNull(endedMs),
    })),
  };
}

function changesOf(before: Alert, after: Alert): AuditChange[] {
  const names = [
    'name',
    'source',
    'channelIds',
    'repeatMinutes',
    'notifiesResolved',
    'isEnabled',
    'mute',
  ] as const;
  const textOf = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
  return names.flatMap((name) => {
    const [old, now] = [textOf(before[name]), textOf(after[name])];
    return old === now ? [] : [{ name, before: old, after: now }];
  });
}

/** Names of users and of searches are in it. */
function bounded(text: string): string {
  return boundedText(text, apiLimits.apiTextCharsMax);
}

function placeOf(input: { readonly virtual_cluster_id: string }, accountId: string): AlertsPlace {
  return { accountId, clusterId: input.virtual_cluster_id };
}

/** The number of a notification precedes the id of its alert. */
function notificationCursor({ message, number, alertId }: AlertNotification): string {
  return cursorOf({ number: message.atMs, name: `${number} ${alertId}` });
}

function notificationPlaceOf(cursor: string): NotificationPlace {
  const { number: atMs, name: text } = placeOfCursor(cursor);
  const [, number, alertId] = /^(\d{1,15}) (ali_[0-9a-f_]{36})$/.exec(text) ?? [];
  if (number === undefined || alertId === undefined)
    throw new OperationFailed('invalid_request', 'cursor: is not a cursor of an earlier response');
  return { atMs, alertId, number: Number(number) };
}
