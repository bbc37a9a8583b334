import { consolePaths, type OutputOf } from '@weir/api';
import { type TenantAccess, usualTenantAccess } from '@weir/cluster/outbound';
import { timeText } from '@weir/core';
import type { AlertsPlace } from '../../accounts/alerts/alert-channels.ts';
import type { AlertChannel } from '../../accounts/alerts/alert-types.ts';
import type { AuditChange } from '../../accounts/audit/audit-log.ts';
import type { AccountsDatabase } from '../../accounts/open.ts';
import { configureChannel } from '../../alerts/channel-settings.ts';
import { DeliveryFailed } from '../../alerts/channels/outcome.ts';
import { sendByChannel } from '../../alerts/channels/send.ts';
import { testMessage } from '../../alerts/test-message.ts';
import { controlPlaneLimits } from '../../limits.ts';
import type { CallContext } from '../call-context.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';

interface AlertChannelHandlersOptions {
  readonly publicUrl: () => string;
  /** The hosts that channels may name; `usualTenantAccess` if absent. */
  readonly tenantAccess?: TenantAccess | undefined;
}

export function alertChannelHandlers(
  { alertChannels, alerts }: Pick<AccountsDatabase, 'alertChannels' | 'alerts'>,
  { publicUrl, tenantAccess = usualTenantAccess }: AlertChannelHandlersOptions,
) {
  const { hosts } = tenantAccess;
  let testsRunning = 0;

  async function test(channel: AlertChannel, { cluster, clock, stop }: CallContext): Promise<number> {
    const secrets = await alertChannels.secretsOf(channel);
    const { id: clusterId, name: clusterName } = cluster!;
    const link = `${publicUrl()}${consolePaths.alerts(clusterId)}`;
    const atMs = clock.nowMs();
    const send = (kind: 'fired' | 'resolved') => {
      const message = testMessage({ kind, channelId: channel.id, clusterId, clusterName, atMs, link });
      const messageId = `${channel.id}.${kind}.${atMs}`;
      return sendByChannel({ channel, secrets, message, messageId, stop }, { hosts, clock });
    };
    const status = await send('fired');
    // A test calls no person on duty.
    return channel.kind === 'pagerduty' ? send('resolved') : status;
  }

  return {
    async list_alert_channels(input, { accountId }) {
      const place = placeOf(input, accountId);
      const users = await alerts.list(place);
      const channels = await alertChannels.list(place);
      return {
        channels: channels.map((channel) => ({
          ...toResponse(channel),
          used_by: users.filter(({ channelIds }) => channelIds.includes(channel.id)).map(({ name }) => name),
        })),
      };
    },

    async create_alert_channel(input, { accountId, actorName, changed }) {
      const { virtual_cluster_id, channel_name: name, kind, ...given } = input;
      const { settings, secrets } = configureChannel(kind, given, undefined, hosts);
      const place = placeOf({ virtual_cluster_id }, accountId);
      const made = await alertChannels.create(place, { name, kind, settings, secrets }, actorName);
      changed([{ name: 'target', before: null, after: made.settings.target }]);
      return { channel_id: made.id };
    },

    async update_alert_channel(input, { accountId, actorName, changed }) {
      const { virtual_cluster_id, channel_id, channel_name, ...given } = input;
      const place = placeOf({ virtual_cluster_id }, accountId);
      const before = await alertChannels.get(place, channel_id);
      const secrets = await alertChannels.secretsOf(before);
      const now = configureChannel(before.kind, given, { ...before, secrets }, hosts);
      const name = channel_name ?? before.name;
      const after = await alertChannels.change(place, channel_id, { name, ...now }, actorName);
      changed(changesOf(before, after));
      return {};
    },

    async delete_alert_channel(input, { accountId }) {
      await alertChannels.delete(placeOf(input, accountId), input.channel_id);
      return {};
    },

    async test_alert_channel(input, context) {
      const channel = await alertChannels.get(placeOf(input, context.accountId), input.channel_id);
      if (testsRunning >= controlPlaneLimits.alertTestsRunningMax)
        throw new OperationFailed('unavailable', 'Too many channels are being tested; try again.');
      testsRunning++;
      const { clock } = context;
      const begunMs = clock.monotonicMs();
      try {
        const status = await test(channel, context);
        await alertChannels.noteAttempt(channel.id, undefined);
        return answered(true, `Delivered: the server answered with ${status}.`);
      } catch (error) {
        if (!(error instanceof DeliveryFailed)) throw error;
        return answered(false, error.message);
      } finally {
        testsRunning--;
      }

      function answered(is_delivered: boolean, message: string) {
        return { is_delivered, message, duration_ms: Math.round(clock.monotonicMs() - begunMs) };
      }
    },
  } satisfies SomeHandlers;
}

type Response = OutputOf<'list_alert_channels'>['channels'][number];

function toResponse(channel: AlertChannel): Omit<Response, 'used_by'> {
  const { smtp, target, endpointUrl, hasAuthorization } = channel.settings;
  return {
    id: channel.id,
    name: channel.name,
    kind: channel.kind,
    target,
    endpoint_url: endpointUrl ?? null,
    has_authorization: hasAuthorization ?? false,
    smtp_host: smtp?.host ?? null,
    smtp_port: smtp?.port ?? null,
    smtp_security: smtp?.security ?? null,
    smtp_username: smtp?.username ?? null,
    from_address: smtp?.from ?? null,
    to_addresses: [...(smtp?.to ?? [])],
    failures: channel.failures,
    failing_since: timeOrNull(channel.failingSinceMs),
    last_error: channel.lastError ?? null,
    last_delivered_at: timeOrNull(channel.deliveredMs),
    updated_at: timeText(channel.updatedMs),
    updated_by: channel.updatedBy,
  };
}

function changesOf(before: AlertChannel, after: AlertChannel): AuditChange[] {
  const values: readonly [name: string, before: string, after: string][] = [
    ['name', before.name, after.name],
    ['target', before.settings.target, after.settings.target],
    ['settings', JSON.stringify(before.settings), JSON.stringify(after.settings)],
  ];
  return values.flatMap(([name, old, now]) => (old === now ? [] : [{ name, before: old, after: now }]));
}

export function timeOrNull(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : timeText(ms);
}

function placeOf(input: { readonly virtual_cluster_id: string }, accountId: string): AlertsPlace {
  return { accountId, clusterId: input.virtual_cluster_id };
}
