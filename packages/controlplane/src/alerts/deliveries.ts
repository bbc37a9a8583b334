import type { Clock, Log, Metrics } from '@weir/core';
import type { AlertChannels } from '../accounts/alerts/alert-channels.ts';
import type { AlertRecords } from '../accounts/alerts/alert-records.ts';
import type { AlertDelivery, AlertNotification } from '../accounts/alerts/alert-types.ts';
import { controlPlaneLimits } from '../limits.ts';
import { alertDeliveriesRow } from './alert-metrics.ts';
import { DeliveryFailed } from './channels/outcome.ts';
import { type SenderOptions, sendByChannel } from './channels/send.ts';
import { inTurns } from './in-turns.ts';

export interface AlertDeliveriesOptions extends SenderOptions {
  readonly records: AlertRecords;
  readonly channels: AlertChannels;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The pauses between attempts. After the last one a message is given up. */
const retryMs: readonly number[] = [30_000, 60_000, 120_000, 300_000, 600_000];
/** Until then no other process tries an attempt that has begun. */
const claimMs = 3 * controlPlaneLimits.alertDeliveryMsMax;

/** Sends messages that are in the database, and notes what became of them. */
export class AlertDeliveries {
  readonly #options: AlertDeliveriesOptions;

  constructor(options: AlertDeliveriesOptions) {
    this.#options = options;
  }

  /** Sends what is due of a cluster. The messages of one alert to one channel keep their order. */
  async sendDue(clusterId: string, stop: AbortSignal): Promise<void> {
    const { records, clock } = this.#options;
    const endMs = clock.monotonicMs() + controlPlaneLimits.alertRoundMsMax;
    const open = await records.open(clusterId);
    const byAlert = Map.groupBy(open, ({ alertId }) => alertId);
    await inTurns([...byAlert.values()], controlPlaneLimits.alertDeliveriesRunningMax, async (ofAlert) => {
      /** Channels with an earlier message that was not taken yet. */
      const busy = new Set<string>();
      for (const notification of ofAlert) {
        if (stop.aborted || clock.monotonicMs() >= endMs) return;
        const left = await this.#sendOne(notification, busy, stop);
        for (const { channelId, state } of left) if (state === 'pending') busy.add(channelId);
      }
    });
  }

  /** Returns the deliveries as they are afterwards. */
  async #sendOne(
    notification: AlertNotification,
    busy: ReadonlySet<string>,
    stop: AbortSignal,
  ): Promise<readonly AlertDelivery[]> {
    const { records, clock, log } = this.#options;
    const nowMs = clock.nowMs();
    const isDue = ({ state, nextMs, channelId }: AlertDelivery) =>
      state === 'pending' && nextMs <= nowMs && !busy.has(channelId);
    if (!notification.deliveries.some(isDue)) return notification.deliveries;
    const claimed = notification.deliveries.map((delivery) =>
      isDue(delivery) ? { ...delivery, attempts: delivery.attempts + 1, nextMs: nowMs + claimMs } : delivery,
    );
    // Another process leads by now, and sends it.
    if (!(await records.saveDeliveries(notification, claimed))) return notification.deliveries;
    const ended = await Promise.all(
      claimed.map((delivery, index) =>
        isDue(notification.deliveries[index]!) ? this.#attempt(notification, delivery, stop) : delivery,
      ),
    );
    const version = notification.version + 1;
    if (!(await records.saveDeliveries({ ...notification, version }, ended)))
      log.warn('failed to note delivery of alert', { alertId: notification.alertId });
    return ended;
  }

  async #attempt(
    { message, alertId, number }: AlertNotification,
    delivery: AlertDelivery,
    stop: AbortSignal,
  ): Promise<AlertDelivery> {
    const { channels, clock, log, metrics } = this.#options;
    const { channelId, attempts } = delivery;
    const { clusterId } = message;
    let kind = 'unknown';
    const ended = (state: 'delivered' | 'failed', lastError: string | null): AlertDelivery => {
      return { ...delivery, state, lastError, endedMs: clock.nowMs() };
    };
    const count = (result: 'delivered' | 'retried' | 'failed') =>
      metrics.series(alertDeliveriesRow, { kind, result }).add(1);
    try {
      const channel = await channels.find(clusterId, channelId);
      if (channel === undefined) throw new DeliveryFailed('The channel was deleted.', { isPermanent: true });
      kind = channel.kind;
      const secrets = await channels.secretsOf(channel);
      const messageId = `${alertId}.${number}`;
      await sendByChannel({ channel, secrets, message, messageId, stop }, this.#options);
      await channels.noteAttempt(channelId, undefined);
      count('delivered');
      return ended('delivered', null);
    } catch (error) {
      // The next leader tries it again.
      if (stop.aborted) return { ...delivery, attempts: attempts - 1, nextMs: clock.nowMs() };
      const problem = (error as Error).message;
      const pauseMs = retryMs[attempts - 1];
      const isGivenUp = pauseMs === undefined || (error instanceof DeliveryFailed && error.isPermanent);
      count(isGivenUp ? 'failed' : 'retried');
      log.warn('failed to deliver alert', {
        clusterId,
        alertId,
        channelId,
        attempts,
        isGivenUp,
        error: problem,
      });
      await channels.noteAttempt(channelId, problem);
      if (isGivenUp) return ended('failed', problem);
      return { ...delivery, lastError: problem, nextMs: clock.nowMs() + pauseMs };
    }
  }
}
