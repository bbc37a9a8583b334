import {
  type AgentDescription,
  type AgentReport,
  type ClusterPort,
  ClusterUnavailable,
  heartbeatIntervalMs,
  type NamedAgent,
  reportIntervalMs,
} from '@weir/cluster';
import { type Clock, type Log, type MetricRow, Metrics, type Series } from '@weir/core';

interface HeartbeatsOptions {
  readonly port: ClusterPort;
  readonly self: () => AgentDescription;
  /** Called after each successful heartbeat with the answer, which includes this agent. */
  readonly onHeartbeat?: (agents: readonly NamedAgent[]) => void;
  /** Measurements of the agent. If absent, heartbeats carry no report. */
  readonly reports?: ReportSource;
  readonly clock: Clock;
  readonly log: Log;
  /** If absent, heartbeats are not counted. */
  readonly metrics?: Metrics;
}

interface ReportSource {
  report(): AgentReport;
  /** Called when the last report was received. */
  acknowledged(): void;
}

export const heartbeatRow: MetricRow<'outcome' | 'mechanism'> = {
  name: 'node_heartbeat',
  kind: 'counter',
  help: 'Heartbeats of this agent, by whether the control plane received them.',
  labels: ['outcome', 'mechanism'],
};

/** The pause after a heartbeat that failed, and the shortest one after a heartbeat whose answer took long. */
const pauseMsMin = 2_000;

/**
 * Sends heartbeats to the cluster at intervals, some of them with a report of what the agent measured since the last
 * one that was received. A failed heartbeat is followed by the next; the connection recovers by itself.
 */
export class Heartbeats {
  readonly #options: HeartbeatsOptions;
  #cancel: (() => void) | undefined;
  #endPause = () => {};
  #hasStopped = false;
  #isUnderWay = false;
  #isReachable = true;
  #nextReportMs = 0;
  readonly #succeeded: Series;
  readonly #failed: Series;

  constructor(options: HeartbeatsOptions) {
    const metrics = options.metrics ?? new Metrics();
    this.#options = options;
    this.#succeeded = metrics.series(heartbeatRow, { outcome: 'success', mechanism: 'rpc' });
    this.#failed = metrics.series(heartbeatRow, { outcome: 'error', mechanism: 'rpc' });
  }

  /**
   * Resolves after the first successful heartbeat, so that clients are not sent to an agent that the cluster does not
   * know. Waits for a leader that is just being replaced; throws any other error.
   */
  async start(): Promise<void> {
    let sentMs: number;
    for (;;) {
      try {
        sentMs = await this.#send();
        break;
      } catch (error) {
        if (!(error instanceof ClusterUnavailable) || this.#hasStopped) throw error;
        this.#onFailure(error);
        await this.#pause();
        if (this.#hasStopped) throw error;
      }
    }
    this.#onSuccess();
    this.#schedule(this.#pauseMsAfter(sentMs));
  }

  /**
   * Sends a heartbeat now: the peer of a new connection does not know this agent, and clients do not see the agent
   * until it does.
   */
  beatNow(): void {
    // A waiting start retries at once. A heartbeat in flight uses the new connection.
    this.#endPause();
    if (this.#cancel === undefined || this.#isUnderWay) return;
    this.#cancel();
    void this.#beat();
  }

  /** Sends a heartbeat with a report now: the API waits for what it says. */
  reportNow(): void {
    this.#nextReportMs = 0;
    this.beatNow();
  }

  stop(): void {
    this.#hasStopped = true;
    this.#cancel?.();
    this.#endPause();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(pauseMsMin, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }

  #schedule(pauseMs: number): void {
    if (this.#hasStopped) return;
    this.#cancel = this.#options.clock.after(pauseMs, () => void this.#beat());
  }

  /** The interval counts from sending: two slow answers in a row must not look like silence. */
  #pauseMsAfter(sentMs: number): number {
    return Math.max(pauseMsMin, sentMs + heartbeatIntervalMs - this.#options.clock.monotonicMs());
  }

  async #beat(): Promise<void> {
    if (this.#hasStopped) return;
    this.#isUnderWay = true;
    let pauseMs = pauseMsMin;
    try {
      const sentMs = await this.#send();
      this.#onSuccess();
      pauseMs = this.#pauseMsAfter(sentMs);
    } catch (error) {
      this.#onFailure(error);
    }
    this.#isUnderWay = false;
    this.#schedule(pauseMs);
  }

  #onSuccess(): void {
    if (!this.#isReachable) this.#options.log.info('resumed heartbeats to control plane');
    this.#isReachable = true;
  }

  #onFailure(error: unknown): void {
    this.#failed.add(1);
    // Logged once per outage, and not every few seconds.
    if (this.#isReachable)
      this.#options.log.warn('failed to send heartbeat to control plane', { error: String(error) });
    this.#isReachable = false;
  }

  /** Returns when it was sent. */
  async #send(): Promise<number> {
    const { port, self, clock, reports, onHeartbeat } = this.#options;
    const sentMs = clock.monotonicMs();
    // A report that was not received is followed by another one with the next heartbeat.
    const isReportDue = reports !== undefined && sentMs >= this.#nextReportMs;
    const agents = await port.heartbeat(isReportDue ? { ...self(), report: reports.report() } : self());
    this.#succeeded.add(1);
    onHeartbeat?.(agents);
    if (isReportDue) {
      reports.acknowledged();
      // With the heartbeat that is nearest to the interval: timers may run a little early.
      this.#nextReportMs = sentMs + reportIntervalMs - heartbeatIntervalMs / 2;
    }
    return sentMs;
  }
}
