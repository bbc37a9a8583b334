import {
  type AgentDescription,
  type AgentReport,
  type ClusterPort,
  ClusterUnavailable,
  heartbeatIntervalMs,
  reportIntervalMs,
} from '@weir/cluster';
import { type Clock, type Log, type MetricRow, Metrics, type Series } from '@weir/core';

interface HeartbeatsOptions {
  readonly port: ClusterPort;
  readonly self: () => AgentDescription;
  /** Told with each that was heard which agents live, this one among them. */
  readonly onHeard?: (agents: readonly AgentDescription[]) => void;
  /** What the agent has measured. Without it nobody is told. */
  readonly reports?: ReportSource;
  readonly clock: Clock;
  readonly log: Log;
  /** Where they are counted. Without it nobody is told. */
  readonly metrics?: Metrics;
}

interface ReportSource {
  report(): AgentReport;
  /** The last report was heard. */
  heard(): void;
}

export const heartbeatRow: MetricRow<'outcome' | 'mechanism'> = {
  name: 'node_heartbeat',
  kind: 'counter',
  help: 'Heartbeats of this agent, by whether the control plane received them.',
  labels: ['outcome', 'mechanism'],
};

/**
 * Tells the cluster at intervals that this agent lives, and now and then what it has measured since it last did. One that fails is followed by the next; the connection mends
 * itself.
 */
export class Heartbeats {
  readonly #options: HeartbeatsOptions;
  #cancel: (() => void) | undefined;
  #endPause = () => {};
  #hasStopped = false;
  #isUnderWay = false;
  #wasHeard = true;
  #nextReportMs = 0;
  readonly #heard: Series;
  readonly #unheard: Series;

  constructor(options: HeartbeatsOptions) {
    const metrics = options.metrics ?? new Metrics();
    this.#options = options;
    this.#heard = metrics.series(heartbeatRow, { outcome: 'success', mechanism: 'rpc' });
    this.#unheard = metrics.series(heartbeatRow, { outcome: 'error', mechanism: 'rpc' });
  }

  /**
   * Resolves when the first one was heard, so that clients are not sent to an agent that the cluster does not know. A leader that is just being
   * replaced is waited for; whatever else is wrong is thrown.
   */
  async start(): Promise<void> {
    for (;;) {
      try {
        await this.#send();
        break;
      } catch (error) {
        if (!(error instanceof ClusterUnavailable) || this.#hasStopped) throw error;
        this.#notHeard(error);
        await this.#pause();
        if (this.#hasStopped) throw error;
      }
    }
    this.#heardAgain();
    this.#schedule();
  }

  /** Sends one now: over a new connection nobody has heard this agent, and clients are not told of it until somebody has. */
  beatNow(): void {
    // Whoever still waits for the first to be heard tries again. One that is under way goes over the new connection.
    this.#endPause();
    if (this.#cancel === undefined || this.#isUnderWay) return;
    this.#cancel();
    void this.#beat();
  }

  stop(): void {
    this.#hasStopped = true;
    this.#cancel?.();
    this.#endPause();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(heartbeatIntervalMs, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }

  #schedule(): void {
    if (this.#hasStopped) return;
    this.#cancel = this.#options.clock.after(heartbeatIntervalMs, () => void this.#beat());
  }

  async #beat(): Promise<void> {
    if (this.#hasStopped) return;
    this.#isUnderWay = true;
    try {
      await this.#send();
      this.#heardAgain();
    } catch (error) {
      this.#notHeard(error);
    }
    this.#isUnderWay = false;
    this.#schedule();
  }

  #heardAgain(): void {
    if (!this.#wasHeard) this.#options.log.info('resumed heartbeats to control plane');
    this.#wasHeard = true;
  }

  #notHeard(error: unknown): void {
    this.#unheard.add(1);
    // Said once per outage, and not every two seconds.
    if (this.#wasHeard)
      this.#options.log.warn('failed to send heartbeat to control plane', { error: String(error) });
    this.#wasHeard = false;
  }

  async #send(): Promise<void> {
    const { port, self, clock, reports, onHeard } = this.#options;
    const sentMs = clock.monotonicMs();
    // One that was not heard is followed by another with the next heartbeat.
    const isReportDue = reports !== undefined && sentMs >= this.#nextReportMs;
    const agents = await port.heartbeat(isReportDue ? { ...self(), report: reports.report() } : self());
    this.#heard.add(1);
    onHeard?.(agents);
    if (!isReportDue) return;
    reports.heard();
    this.#nextReportMs = sentMs + reportIntervalMs;
  }
}
