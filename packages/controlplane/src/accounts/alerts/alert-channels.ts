import { type AlertChannelKind, ApiError } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { boundedText } from '../common/bounded-text.ts';
import { freshId } from '../common/ids.ts';
import { byName, requireRoomInCluster } from '../common/names.ts';
import { notFound } from '../common/not-found.ts';
import { AccountStore } from '../database/account-store.ts';
import { virtualClusterTable } from '../database/account-table.ts';
import type { AlertChannelRow, Database, DatabaseTransaction } from '../database/schema.ts';
import type { AlertChannel, ChannelSecrets, ChannelSettings } from './alert-types.ts';

/** Where alerts are. In another cluster or account they are not found. */
export interface AlertsPlace {
  readonly accountId: string;
  readonly clusterId: string;
}

interface NewChannel {
  readonly name: string;
  readonly kind: AlertChannelKind;
  readonly settings: ChannelSettings;
  readonly secrets: ChannelSecrets;
}

/** Where the alerts of clusters are sent. Secrets are sealed, each for its own channel. */
export class AlertChannels extends AccountStore {
  /** By name. */
  async list({ accountId, clusterId }: AlertsPlace): Promise<AlertChannel[]> {
    const rows = await rowsOf(this.database, { accountId, clusterId }).execute();
    return rows.map(channelOf).sort(byName);
  }

  async get(place: AlertsPlace, id: string): Promise<AlertChannel> {
    return channelOf(await requireChannel(this.database, place, id));
  }

  create(
    place: AlertsPlace,
    { name, kind, settings, secrets }: NewChannel,
    by: string,
  ): Promise<AlertChannel> {
    return this.changeAccount(place.accountId, async (transaction) => {
      await virtualClusterTable.require(transaction, place.accountId, place.clusterId);
      const others = await rowsOf(transaction, place).execute();
      requireRoomInCluster(others, { what: 'channel', name, max: apiLimits.alertChannelsPerClusterMax });
      const { clock, random } = this.deps;
      const id = freshId('alertChannel', random);
      const row: AlertChannelRow = {
        id,
        account_id: place.accountId,
        cluster_id: place.clusterId,
        name,
        kind,
        settings: JSON.stringify(settings),
        sealed_secrets: this.#sealed(secrets, id),
        failures: 0,
        failing_since_ms: null,
        last_error: null,
        delivered_ms: null,
        updated_ms: clock.nowMs(),
        updated_by: by,
      };
      await transaction.insertInto('weir_alert_channels').values(row).execute();
      return channelOf(row);
    });
  }

  /** A channel that sends elsewhere begins without failures. */
  change(
    place: AlertsPlace,
    id: string,
    change: Omit<NewChannel, 'kind'>,
    by: string,
  ): Promise<AlertChannel> {
    return this.changeAccount(place.accountId, async (transaction) => {
      const row = await requireChannel(transaction, place, id);
      const others = (await rowsOf(transaction, place).execute()).filter((other) => other.id !== id);
      requireRoomInCluster(others, {
        what: 'channel',
        name: change.name,
        max: apiLimits.alertChannelsPerClusterMax,
      });
      const changed: AlertChannelRow = {
        ...row,
        name: change.name,
        settings: JSON.stringify(change.settings),
        sealed_secrets: this.#sealed(change.secrets, id),
        failures: 0,
        failing_since_ms: null,
        last_error: null,
        updated_ms: this.deps.clock.nowMs(),
        updated_by: by,
      };
      await transaction.updateTable('weir_alert_channels').set(changed).where('id', '=', id).execute();
      return channelOf(changed);
    });
  }

  /** Refused while an alert notifies it. */
  async delete(place: AlertsPlace, id: string): Promise<void> {
    await this.changeAccount(place.accountId, async (transaction) => {
      const { name } = await requireChannel(transaction, place, id);
      const alerts = await transaction
        .selectFrom('weir_alerts')
        .select(['name', 'channel_ids'])
        .where('cluster_id', '=', place.clusterId)
        .execute();
      const using = alerts.find(({ channel_ids }) => (JSON.parse(channel_ids) as string[]).includes(id));
      if (using !== undefined)
        throw new ApiError(
          'conflict',
          `The alert "${using.name}" is sent by the channel "${name}"; change the alert first.`,
        );
      await transaction.deleteFrom('weir_alert_channels').where('id', '=', id).execute();
    });
  }

  /** A channel of any account, for the leader of its cluster. */
  async find(clusterId: string, id: string): Promise<AlertChannel | undefined> {
    const row = await this.database
      .selectFrom('weir_alert_channels')
      .selectAll()
      .where('cluster_id', '=', clusterId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row && channelOf(row);
  }

  /** Opens the secrets of a channel. Throws `no_sealing_keys` without the keys. */
  async secretsOf({ id }: Pick<AlertChannel, 'id'>): Promise<ChannelSecrets> {
    const row = await this.database
      .selectFrom('weir_alert_channels')
      .select('sealed_secrets')
      .where('id', '=', id)
      .executeTakeFirst();
    const sealed = row?.sealed_secrets ?? null;
    if (sealed === null) return {};
    const { secretBox, log } = this.deps;
    if (secretBox === undefined) throw new ApiError('no_sealing_keys');
    try {
      return JSON.parse(secretBox.open(sealed, purposeOf(id))) as ChannelSecrets;
    } catch (error) {
      log.warn('failed to open secrets of alert channel', { channelId: id, error: (error as Error).message });
      throw new ApiError(
        'conflict',
        'The secrets of the channel were sealed by a key that is gone; set them again.',
      );
    }
  }

  /** Notes whether an attempt succeeded. */
  async noteAttempt(id: string, error: string | undefined): Promise<void> {
    const nowMs = this.deps.clock.nowMs();
    const update = this.database.updateTable('weir_alert_channels').where('id', '=', id);
    await (error === undefined
      ? update.set({ failures: 0, failing_since_ms: null, last_error: null, delivered_ms: nowMs })
      : update.set((row) => ({
          failures: row('failures', '+', 1),
          failing_since_ms: row.fn.coalesce('failing_since_ms', row.val(nowMs)),
          last_error: boundedText(error, apiLimits.apiTextCharsMax),
        }))
    ).execute();
  }

  /** The channels of a cluster whose last attempts failed. */
  async failing(clusterId: string): Promise<AlertChannel[]> {
    const rows = await this.database
      .selectFrom('weir_alert_channels')
      .selectAll()
      .where('cluster_id', '=', clusterId)
      .where('failures', '>', 0)
      .execute();
    return rows.map(channelOf).sort(byName);
  }

  #sealed(secrets: ChannelSecrets, id: string): string | null {
    if (Object.values(secrets).every((value) => value === undefined)) return null;
    const { secretBox } = this.deps;
    if (secretBox === undefined) throw new ApiError('no_sealing_keys');
    return secretBox.seal(JSON.stringify(secrets), purposeOf(id));
  }
}

function purposeOf(id: string): string {
  return `alert channel ${id}`;
}

function rowsOf(database: Database | DatabaseTransaction, { accountId, clusterId }: AlertsPlace) {
  return database
    .selectFrom('weir_alert_channels')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cluster_id', '=', clusterId);
}

async function requireChannel(
  database: Database | DatabaseTransaction,
  place: AlertsPlace,
  id: string,
): Promise<AlertChannelRow> {
  const row = await rowsOf(database, place).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('alert channel');
  return row;
}

function channelOf(row: AlertChannelRow): AlertChannel {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    settings: JSON.parse(row.settings) as ChannelSettings,
    failures: row.failures,
    failingSinceMs: row.failing_since_ms ?? undefined,
    lastError: row.last_error ?? undefined,
    deliveredMs: row.delivered_ms ?? undefined,
    updatedMs: row.updated_ms,
    updatedBy: row.updated_by,
  };
}
