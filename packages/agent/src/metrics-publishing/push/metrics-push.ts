import type { Clock, Log, MetricRow, Metrics } from '@weir/core';
import { DogStatsdSink } from './dogstatsd-sink.ts';
import { OtlpSink } from './otlp-sink.ts';
import {
  identityTags,
  type MetricsSink,
  type PushedIdentity,
  pushedName,
  type ReadingsInParts,
} from './pushed-metrics.ts';

/** Targets of metrics pushes. */
export interface MetricsPushSettings {
  readonly otlp?: OtlpTarget | undefined;
  readonly dogstatsd?: { readonly host: string; readonly port: number } | undefined;
  /** Whether a dot follows the prefix of names, rather than an underscore. */
  readonly hasDottedNames: boolean;
  readonly intervalMs: number;
}

interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface MetricsPushOptions {
  readonly settings: MetricsPushSettings;
  readonly identity: PushedIdentity;
  /** Returns what to push at each interval. If absent, all metrics of this process. */
  readonly readings?: () => ReadingsInParts;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface MetricsPush {
  stop(): Promise<void>;
}

export const pushRow: MetricRow<'sink' | 'outcome'> = {
  name: 'metrics_push',
  kind: 'counter',
  help: 'Pushes of metrics by this process, by whether all of them were sent.',
  labels: ['sink', 'outcome'],
};

/** Pushes metrics at intervals to the sinks in the settings. */
export function startMetricsPush(options: MetricsPushOptions): MetricsPush {
  const { otlp, dogstatsd, hasDottedNames } = options.settings;
  const name = pushedName(hasDottedNames);
  const tags = identityTags(options.identity);
  const sinks: MetricsSink[] = [];
  if (otlp !== undefined) sinks.push(new OtlpSink({ ...otlp, name, tags, clock: options.clock }));
  if (dogstatsd !== undefined) sinks.push(new DogStatsdSink({ ...dogstatsd, name, tags }));
  const pushes = sinks.map((sink) => new SinkPush(sink, options));
  for (const push of pushes) push.start();
  return {
    async stop() {
      await Promise.all(pushes.map((push) => push.stop()));
    },
  };
}

/**
 * One push at a time: a slow sink gets the next values when it is done, and nothing is queued in between. A sink that
 * is down costs a counter and one log line.
 */
class SinkPush {
  readonly #sink: MetricsSink;
  readonly #options: MetricsPushOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #cancel: (() => void) | undefined;
  #hasFailed = false;

  constructor(sink: MetricsSink, options: MetricsPushOptions) {
    this.#sink = sink;
    this.#options = options;
  }

  start(): void {
    if (this.#stopping.signal.aborted) return;
    this.#cancel = this.#options.clock.after(this.#options.settings.intervalMs, () => {
      this.#running = this.#push().then(() => this.start());
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancel?.();
    await this.#running;
    this.#sink.close();
  }

  async #push(): Promise<void> {
    const { metrics, log, readings = () => [metrics.read()] } = this.#options;
    const { kind: sink } = this.#sink;
    try {
      await this.#sink.push(readings(), this.#stopping.signal);
      metrics.series(pushRow, { sink, outcome: 'success' }).add(1);
      if (this.#hasFailed) log.info('resumed pushing metrics', { sink });
      this.#hasFailed = false;
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      metrics.series(pushRow, { sink, outcome: 'error' }).add(1);
      // Logged once per outage.
      if (!this.#hasFailed) log.warn('failed to push metrics', { sink, error: (error as Error).message });
      this.#hasFailed = true;
    }
  }
}
