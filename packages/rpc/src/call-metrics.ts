import { durationBucketsSeconds, type MetricRow, type Metrics, type Series } from '@weir/core';

interface CallRows {
  readonly calls: MetricRow<'method' | 'outcome'>;
  readonly seconds: MetricRow<'method'>;
}

/** The two metrics of calls, for the calling and the answering side. */
export function callRows(prefix: string, who: string): CallRows {
  return {
    calls: {
      name: `${prefix}_calls_total`,
      kind: 'counter',
      help: `Calls ${who}, by outcome.`,
      labels: ['method', 'outcome'],
    },
    seconds: {
      name: `${prefix}_call_seconds`,
      kind: 'histogram',
      help: `Latency of calls ${who}.`,
      labels: ['method'],
      buckets: durationBucketsSeconds,
    },
  };
}

/** Counts calls. Caches the series, because finding one costs more than a small call. */
export class CallMetrics {
  readonly #metrics: Metrics;
  readonly #rows: CallRows;
  readonly #counts = new Map<string, Map<string, Series>>();
  readonly #seconds = new Map<string, Series>();

  constructor(metrics: Metrics, rows: CallRows) {
    this.#metrics = metrics;
    this.#rows = rows;
  }

  ended(method: string, outcome: string, durationMs: number): void {
    let counts = this.#counts.get(method);
    let seconds = this.#seconds.get(method);
    if (counts === undefined || seconds === undefined) {
      counts = new Map();
      seconds = this.#metrics.series(this.#rows.seconds, { method });
      this.#counts.set(method, counts);
      this.#seconds.set(method, seconds);
    }
    let count = counts.get(outcome);
    if (count === undefined) {
      count = this.#metrics.series(this.#rows.calls, { method, outcome });
      counts.set(outcome, count);
    }
    count.add(1);
    seconds.observe(durationMs / 1000);
  }
}
