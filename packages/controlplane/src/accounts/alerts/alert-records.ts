import { apiLimits } from '@weir/api/limits';
import { AccountStore } from '../database/account-store.ts';
import type { AlertNotificationRow, DatabaseTransaction } from '../database/schema.ts';
import type { Alert, AlertDelivery, AlertMessage, AlertNotification, AlertState } from './alert-types.ts';
import { newAlertState } from './alert-types.ts';
import { alertOf } from './alerts.ts';

/** An alert with its state. */
export interface AlertRecord {
  readonly accountId: string;
  readonly alert: Alert;
  readonly state: AlertState;
  readonly version: number;
}

interface NewNotification {
  readonly message: AlertMessage;
  readonly isMuted: boolean;
  readonly deliveries: readonly AlertDelivery[];
}

interface HistoryQuery {
  readonly clusterId: string;
  /** Of this alert only. */
  readonly alertId?: string | undefined;
  /** Continues after this one. */
  readonly after?: NotificationPlace | undefined;
  readonly limit: number;
}

/** The order of the history: the newest first, then by alert and number. */
export interface NotificationPlace {
  readonly atMs: number;
  readonly alertId: string;
  readonly number: number;
}

/**
 * The states of alerts and what they sent. The leader of a cluster writes them; versions make sure that a former leader
 * and its successor never both send the same.
 */
export class AlertRecords extends AccountStore {
  /** The clusters that have alerts. */
  async clusterIds(): Promise<string[]> {
    const rows = await this.database.selectFrom('weir_alerts').select('cluster_id').distinct().execute();
    return rows.map(({ cluster_id }) => cluster_id);
  }

  /** The alerts of a cluster, those first that were not evaluated for the longest time. */
  async load(clusterId: string): Promise<AlertRecord[]> {
    const rows = await this.database
      .selectFrom('weir_alerts')
      .innerJoin('weir_alert_states', 'weir_alert_states.alert_id', 'weir_alerts.id')
      .selectAll()
      .where('cluster_id', '=', clusterId)
      .execute();
    return rows
      .map((row) => ({
        accountId: row.account_id,
        alert: alertOf(row),
        // Fields that an earlier release did not have get the values of a new state.
        state: { ...newAlertState, ...(JSON.parse(row.state) as AlertState) },
        version: row.version,
      }))
      .sort(
        (a, b) => (a.state.checkedMs ?? 0) - (b.state.checkedMs ?? 0) || (a.alert.id < b.alert.id ? -1 : 1),
      );
  }

  /**
   * Saves a state with the notification that led to it, in one transaction. Returns `false`, and saves nothing, if
   * another version was saved since the load, or the alert was deleted.
   */
  save(
    { alert, version }: AlertRecord,
    state: AlertState,
    notification: NewNotification | undefined,
  ): Promise<boolean> {
    return this.database.transaction().execute(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('weir_alert_states')
        .set({ version: version + 1, state: JSON.stringify(state) })
        .where('alert_id', '=', alert.id)
        .where('version', '=', version)
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) return false;
      if (notification !== undefined) await addNotification(transaction, alert, state, notification);
      return true;
    });
  }

  /** Notifications of a cluster with pending deliveries, the oldest first. */
  async open(clusterId: string): Promise<AlertNotification[]> {
    const rows = await this.database
      .selectFrom('weir_alert_notifications')
      .selectAll()
      .where('is_open', '=', 1)
      .where('cluster_id', '=', clusterId)
      .orderBy('time_ms')
      .orderBy('alert_id')
      .orderBy('number')
      .execute();
    return rows.map(notificationOf);
  }

  /** Returns `false`, and saves nothing, if another version was saved since the load. */
  async saveDeliveries(
    { alertId, number, version }: AlertNotification,
    deliveries: readonly AlertDelivery[],
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.database
      .updateTable('weir_alert_notifications')
      .set({ deliveries: JSON.stringify(deliveries), is_open: isOpen(deliveries), version: version + 1 })
      .where('alert_id', '=', alertId)
      .where('number', '=', number)
      .where('version', '=', version)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** The newest first. */
  async history({ clusterId, alertId, after, limit }: HistoryQuery): Promise<AlertNotification[]> {
    let query = this.database
      .selectFrom('weir_alert_notifications')
      .selectAll()
      .where('cluster_id', '=', clusterId);
    if (alertId !== undefined) query = query.where('alert_id', '=', alertId);
    if (after !== undefined)
      query = query.where((row) =>
        row.or([
          row('time_ms', '<', after.atMs),
          row.and([row('time_ms', '=', after.atMs), row('alert_id', '>', after.alertId)]),
          row.and([
            row('time_ms', '=', after.atMs),
            row('alert_id', '=', after.alertId),
            row('number', '<', after.number),
          ]),
        ]),
      );
    const rows = await query
      .orderBy('time_ms', 'desc')
      .orderBy('alert_id')
      .orderBy('number', 'desc')
      .limit(limit)
      .execute();
    return rows.map(notificationOf);
  }
}

async function addNotification(
  transaction: DatabaseTransaction,
  alert: Alert,
  state: AlertState,
  { message, isMuted, deliveries }: NewNotification,
): Promise<void> {
  const number = state.notificationCount - 1;
  const row: AlertNotificationRow = {
    alert_id: alert.id,
    number,
    cluster_id: alert.clusterId,
    time_ms: message.atMs,
    message: JSON.stringify(message),
    is_muted: isMuted ? 1 : 0,
    deliveries: JSON.stringify(deliveries),
    is_open: isOpen(deliveries),
    version: 1,
  };
  await transaction.insertInto('weir_alert_notifications').values(row).execute();
  await transaction
    .deleteFrom('weir_alert_notifications')
    .where('alert_id', '=', alert.id)
    .where('number', '<=', number - apiLimits.alertHistoryMax)
    .execute();
}

function isOpen(deliveries: readonly AlertDelivery[]): 0 | 1 {
  return deliveries.some(({ state }) => state === 'pending') ? 1 : 0;
}

function notificationOf(row: AlertNotificationRow): AlertNotification {
  return {
    alertId: row.alert_id,
    number: row.number,
    message: JSON.parse(row.message) as AlertMessage,
    isMuted: row.is_muted === 1,
    deliveries: JSON.parse(row.deliveries) as AlertDelivery[],
    version: row.version,
  };
}
