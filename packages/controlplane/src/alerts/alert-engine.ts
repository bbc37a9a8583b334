import type { Clock, Log, Metrics } from '@weir/core';
import type { DiagnosticsStore } from '@weir/diagnostics';
import type { AlertChannels } from '../accounts/alerts/alert-channels.ts';
import type { AlertRecord, AlertRecords } from '../accounts/alerts/alert-records.ts';
import type {
  AlertChannel,
  AlertDelivery,
  AlertMessage,
  AlertSource,
  AlertState,
} from '../accounts/alerts/alert-types.ts';
import { controlPlaneLimits } from '../limits.ts';
import { alertEvaluationsRow } from './alert-metrics.ts';
import { AlertDeliveries, type AlertDeliveriesOptions } from './deliveries.ts';
import { observeDiagnostics, observeEvents } from './findings.ts';
import { inTurns } from './in-turns.ts';
import { type Notice, type Observation, stepAlert } from './step-alert.ts';

/** The events of a saved search in a time. */
interface EventCount {
  readonly count: number;
  readonly viewName: string;
}

type EventsSource = Extract<AlertSource, { kind: 'events' }>;

export interface AlertEngineOptions extends AlertDeliveriesOptions {
  /** The clusters that this process leads at the moment, with their names. */
  readonly leading: () => ReadonlyMap<string, string>;
  readonly records: AlertRecords;
  readonly channels: AlertChannels;
  readonly diagnostics: Pick<DiagnosticsStore, 'load'>;
  /** Throws an error whose message is for users. */
  readonly countEvents: (clusterId: string, source: EventsSource, stop: AbortSignal) => Promise<EventCount>;
  /** The page of the alerts of a cluster. */
  readonly linkOf: (clusterId: string) => string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** How often an alert is evaluated; by default once a minute. */
  readonly intervalMs?: number | undefined;
}

const defaultIntervalMs = 60_000;
/** How often it is looked for what is due, in parts of an interval. */
const stepsPerInterval = 4;

/**
 * Evaluates the alerts of every cluster that this process leads, and sends what they say. States and messages are in
 * the database before anything is sent, so that the next leader continues, and sends nothing twice that it knows of.
 */
export class AlertEngine {
  readonly #options: AlertEngineOptions;
  readonly #deliveries: AlertDeliveries;
  readonly #stop = new AbortController();
  #cancel: () => void = () => {};
  /** Serializes the rounds. */
  #round: Promise<void> = Promise.resolve();

  constructor(options: AlertEngineOptions) {
    this.#options = options;
    this.#deliveries = new AlertDeliveries(options);
  }

  start(): void {
    this.#cancel = this.#options.clock.after(this.#intervalMs / stepsPerInterval, () => {
      void this.look().then(() => {
        if (!this.#stop.signal.aborted) this.start();
      });
    });
  }

  /** Evaluates and sends what is due. Never rejects: failures are logged and retried in the next round. */
  look(): Promise<void> {
    this.#round = this.#round.then(() => this.#lookOnce());
    return this.#round;
  }

  /** Starts nothing more, and waits for work in flight. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('this process stops'));
    this.#cancel();
    await this.#round;
  }

  get #intervalMs(): number {
    return this.#options.intervalMs ?? defaultIntervalMs;
  }

  async #lookOnce(): Promise<void> {
    const { leading, records, log } = this.#options;
    const led = leading();
    if (led.size === 0) return;
    try {
      const clusterIds = (await records.clusterIds()).filter((clusterId) => led.has(clusterId));
      await inTurns(clusterIds, controlPlaneLimits.alertClustersRunningMax, async (clusterId) => {
        await this.#lookAtCluster(clusterId, led.get(clusterId)!);
      });
    } catch (error) {
      log.warn('failed to read alerts, retrying in the next round', { error: (error as Error).message });
    }
  }

  async #lookAtCluster(clusterId: string, clusterName: string): Promise<void> {
    const { log } = this.#options;
    try {
      await this.#evaluateDue(clusterId, clusterName);
      await this.#deliveries.sendDue(clusterId, this.#stop.signal);
    } catch (error) {
      log.warn('failed to process alerts of cluster, retrying in the next round', {
        clusterId,
        error: (error as Error).message,
      });
    }
  }

  async #evaluateDue(clusterId: string, clusterName: string): Promise<void> {
    const { records, channels, clock, diagnostics } = this.#options;
    const endMs = clock.monotonicMs() + controlPlaneLimits.alertRoundMsMax;
    const all = await records.load(clusterId);
    const due = all.filter((record) => this.#isDue(record, clock.nowMs()));
    if (due.length === 0) return;
    const found = (await diagnostics.load(clusterId)).map(({ record }) => record);
    const known = await channels.list({ accountId: due[0]!.accountId, clusterId });
    for (const record of due) {
      if (this.#stop.signal.aborted || clock.monotonicMs() >= endMs) return;
      const { alert } = record;
      const seen = await this.#observe(record, (source) => observeDiagnostics(source, found));
      const { state, notice } = stepAlert(alert, record.state, seen, clock.nowMs());
      const notification = notice && {
        message: this.#messageOf(record, state, notice, clusterName),
        isMuted: notice.isMuted,
        deliveries: notice.isSent ? deliveriesOf(alert.channelIds, known, clock.nowMs()) : [],
      };
      const isSaved = await records.save(record, state, notification);
      if (isSaved && notice !== undefined) this.#logNotice(record, notice);
    }
  }

  /** One that was turned off while its channels believe that it fires is looked at once more, to resolve it. */
  #isDue({ alert, state }: AlertRecord, nowMs: number): boolean {
    if (!alert.isEnabled) return state.notified !== null;
    // A clock that was set back must not stop alerts.
    return state.checkedMs === null || nowMs < state.checkedMs || nowMs - state.checkedMs >= this.#intervalMs;
  }

  async #observe(
    { alert }: AlertRecord,
    ofDiagnostics: (source: Extract<AlertSource, { kind: 'diagnostics' }>) => Observation,
  ): Promise<Observation> {
    const { countEvents, metrics, log } = this.#options;
    const { source, clusterId } = alert;
    if (!alert.isEnabled) return { findings: [], summary: 'The alert was turned off.' };
    const count = (result: 'ok' | 'failed') => metrics.series(alertEvaluationsRow, { result }).add(1);
    try {
      const seen =
        source.kind === 'diagnostics'
          ? ofDiagnostics(source)
          : observeEvents(source, await countEvents(clusterId, source, this.#stop.signal));
      count('ok');
      return seen;
    } catch (error) {
      count('failed');
      const problem = (error as Error).message;
      log.info('failed to evaluate alert', { clusterId, alertId: alert.id, error: problem });
      return { problem };
    }
  }

  #messageOf({ alert }: AlertRecord, state: AlertState, notice: Notice, clusterName: string): AlertMessage {
    const { kind, severity, summary, findings, resolved } = notice;
    return {
      kind,
      alertId: alert.id,
      alertName: alert.name,
      clusterId: alert.clusterId,
      clusterName,
      atMs: state.checkedMs!,
      severity,
      summary,
      findings,
      findingCount: findings.length,
      resolved,
      incidentKey: `${alert.id}.${state.incidents}`,
      link: this.#options.linkOf(alert.clusterId),
    };
  }

  #logNotice({ alert }: AlertRecord, { kind, isMuted, summary }: Notice): void {
    this.#options.log.info('changed state of alert', {
      clusterId: alert.clusterId,
      alertId: alert.id,
      name: alert.name,
      kind,
      isMuted,
      summary,
    });
  }
}

function deliveriesOf(
  channelIds: readonly string[],
  channels: readonly AlertChannel[],
  nowMs: number,
): AlertDelivery[] {
  return channelIds.flatMap((channelId): AlertDelivery[] => {
    const channel = channels.find(({ id }) => id === channelId);
    if (channel === undefined) return [];
    return [
      {
        channelId,
        channelName: channel.name,
        state: 'pending',
        attempts: 0,
        lastError: null,
        nextMs: nowMs,
        endedMs: null,
      },
    ];
  });
}
