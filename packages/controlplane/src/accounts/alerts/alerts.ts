import { ApiError } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { freshId } from '../common/ids.ts';
import { byName, requireRoomInCluster } from '../common/names.ts';
import { notFound } from '../common/not-found.ts';
import { AccountStore } from '../database/account-store.ts';
import { virtualClusterTable } from '../database/account-table.ts';
import type { AlertRow, Database, DatabaseTransaction } from '../database/schema.ts';
import type { AlertsPlace } from './alert-channels.ts';
import { type Alert, type AlertMute, type AlertSource, newAlertState } from './alert-types.ts';

type NewAlert = Pick<
  Alert,
  'name' | 'source' | 'channelIds' | 'repeatMinutes' | 'notifiesResolved' | 'isEnabled'
>;

/** The definitions of alerts. `AlertRecords` has their states. */
export class Alerts extends AccountStore {
  /** By name. */
  async list(place: AlertsPlace): Promise<Alert[]> {
    const rows = await rowsOf(this.database, place).execute();
    return rows.map(alertOf).sort(byName);
  }

  async get(place: AlertsPlace, id: string): Promise<Alert> {
    return alertOf(await requireAlert(this.database, place, id));
  }

  create(place: AlertsPlace, alert: NewAlert, by: string): Promise<Alert> {
    return this.changeAccount(place.accountId, async (transaction) => {
      await virtualClusterTable.require(transaction, place.accountId, place.clusterId);
      await requireParts(transaction, place, alert);
      const { clock, random } = this.deps;
      const row: AlertRow = {
        id: freshId('alert', random),
        account_id: place.accountId,
        cluster_id: place.clusterId,
        mute: null,
        ...columnsOf(alert),
        updated_ms: clock.nowMs(),
        updated_by: by,
      };
      await transaction.insertInto('weir_alerts').values(row).execute();
      const state = JSON.stringify(newAlertState);
      await transaction
        .insertInto('weir_alert_states')
        .values({ alert_id: row.id, version: 1, state })
        .execute();
      return alertOf(row);
    });
  }

  /** Omitted fields keep their values. Returns the alert before and after. */
  change(
    place: AlertsPlace,
    id: string,
    change: { readonly [Key in keyof NewAlert]?: NewAlert[Key] | undefined },
    by: string,
  ): Promise<{ readonly before: Alert; readonly after: Alert }> {
    return this.#change(place, id, by, async (transaction, before) => {
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
      const after: Alert = { ...before, ...given };
      await requireParts(transaction, place, after);
      return after;
    });
  }

  /** `undefined` unmutes it. */
  mute(
    place: AlertsPlace,
    id: string,
    mute: AlertMute | undefined,
    by: string,
  ): Promise<{ readonly before: Alert; readonly after: Alert }> {
    return this.#change(place, id, by, async (_transaction, before) => ({ ...before, mute }));
  }

  async delete(place: AlertsPlace, id: string): Promise<void> {
    await this.changeAccount(place.accountId, async (transaction) => {
      await requireAlert(transaction, place, id);
      await transaction.deleteFrom('weir_alerts').where('id', '=', id).execute();
    });
  }

  #change(
    place: AlertsPlace,
    id: string,
    by: string,
    change: (transaction: DatabaseTransaction, before: Alert) => Promise<Alert>,
  ) {
    return this.changeAccount(place.accountId, async (transaction) => {
      const before = alertOf(await requireAlert(transaction, place, id));
      const changed = await change(transaction, before);
      const after: Alert = { ...changed, updatedMs: this.deps.clock.nowMs(), updatedBy: by };
      await transaction
        .updateTable('weir_alerts')
        .set({
          ...columnsOf(after),
          mute: after.mute === undefined ? null : JSON.stringify(after.mute),
          updated_ms: after.updatedMs,
          updated_by: by,
        })
        .where('id', '=', id)
        .execute();
      return { before, after };
    });
  }
}

/** Refuses a change that would take a saved search away from an alert. */
export async function requireUnusedView(transaction: DatabaseTransaction, viewId: string): Promise<void> {
  const using = await transaction
    .selectFrom('weir_alerts')
    .innerJoin('weir_virtual_clusters', 'weir_virtual_clusters.id', 'weir_alerts.cluster_id')
    .select('weir_alerts.name')
    .where('view_id', '=', viewId)
    .where('weir_virtual_clusters.deleted_ms', 'is', null)
    .executeTakeFirst();
  if (using !== undefined)
    throw new ApiError(
      'conflict',
      `The alert "${using.name}" fires on this view, which has to be shared; change the alert first.`,
    );
}

/** The name is free, and the channels and the saved search are there. */
async function requireParts(
  transaction: DatabaseTransaction,
  place: AlertsPlace,
  alert: NewAlert & { readonly id?: string },
): Promise<void> {
  const others = (await rowsOf(transaction, place).execute()).filter(({ id }) => id !== alert.id);
  requireRoomInCluster(others, { what: 'alert', name: alert.name, max: apiLimits.alertsPerClusterMax });
  const channels = await transaction
    .selectFrom('weir_alert_channels')
    .select('id')
    .where('cluster_id', '=', place.clusterId)
    .execute();
  const known = new Set(channels.map(({ id }) => id));
  if (!alert.channelIds.every((id) => known.has(id))) throw notFound('alert channel');
  if (alert.source.kind === 'events') await requireSharedView(transaction, place, alert.source.viewId);
}

async function requireSharedView(
  transaction: DatabaseTransaction,
  { clusterId }: AlertsPlace,
  viewId: string,
): Promise<void> {
  const view = await transaction
    .selectFrom('weir_event_views')
    .innerJoin('weir_virtual_clusters', 'weir_virtual_clusters.workspace_id', 'weir_event_views.workspace_id')
    .select('user_id')
    .where('weir_virtual_clusters.id', '=', clusterId)
    .where('weir_event_views.id', '=', viewId)
    .executeTakeFirst();
  if (view === undefined) throw notFound('event view');
  if (view.user_id !== null)
    throw new ApiError('invalid_request', 'An alert fires on a shared view; share the view first.');
}

function columnsOf(alert: NewAlert) {
  const { name, source, channelIds, repeatMinutes, notifiesResolved, isEnabled } = alert;
  return {
    name,
    source: JSON.stringify(source),
    view_id: source.kind === 'events' ? source.viewId : null,
    channel_ids: JSON.stringify([...new Set(channelIds)]),
    repeat_minutes: repeatMinutes,
    notifies_resolved: notifiesResolved ? (1 as const) : (0 as const),
    is_enabled: isEnabled ? (1 as const) : (0 as const),
  };
}

function rowsOf(database: Database | DatabaseTransaction, { accountId, clusterId }: AlertsPlace) {
  return database
    .selectFrom('weir_alerts')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cluster_id', '=', clusterId);
}

async function requireAlert(
  database: Database | DatabaseTransaction,
  place: AlertsPlace,
  id: string,
): Promise<AlertRow> {
  const row = await rowsOf(database, place).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('alert');
  return row;
}

export function alertOf(row: AlertRow): Alert {
  return {
    id: row.id,
    clusterId: row.cluster_id,
    name: row.name,
    source: JSON.parse(row.source) as AlertSource,
    channelIds: JSON.parse(row.channel_ids) as string[],
    repeatMinutes: row.repeat_minutes,
    notifiesResolved: row.notifies_resolved === 1,
    isEnabled: row.is_enabled === 1,
    mute: row.mute === null ? undefined : (JSON.parse(row.mute) as AlertMute),
    updatedMs: row.updated_ms,
    updatedBy: row.updated_by,
  };
}
