import { type Clock, durationBucketsSeconds, type MetricRow, type Metrics, type Series } from '@weir/core';

export const apiCallsRow: MetricRow<'operation' | 'result'> = {
  name: 'api_calls_total',
  kind: 'counter',
  help: 'Calls of the API by operation and outcome: ok, or the error code.',
  labels: ['operation', 'result'],
};

export const apiSecondsRow: MetricRow<'operation'> = {
  name: 'api_call_seconds',
  kind: 'histogram',
  help: 'How long calls of the API took.',
  labels: ['operation'],
  buckets: durationBucketsSeconds,
};

/** Metrics of the API. Labels are operations and results of the catalogue, which bounds their number. */
export class ApiMetrics {
  readonly #metrics: Metrics;
  readonly #clock: Clock;
  readonly #calls = new Map<string, Series>();
  readonly #seconds = new Map<string, Series>();

  constructor(metrics: Metrics, clock: Clock) {
    this.#metrics = metrics;
    this.#clock = clock;
  }

  count(operation: string, result: string, begunMs: number): void {
    const seconds = (this.#clock.monotonicMs() - begunMs) / 1000;
    this.#callsOf(operation, result).add(1);
    this.#secondsOf(operation).observe(seconds);
  }

  #callsOf(operation: string, result: string): Series {
    const name = `${operation} ${result}`;
    let series = this.#calls.get(name);
    if (series === undefined) {
      series = this.#metrics.series(apiCallsRow, { operation, result });
      this.#calls.set(name, series);
    }
    return series;
  }

  #secondsOf(operation: string): Series {
    let series = this.#seconds.get(operation);
    if (series === undefined) {
      series = this.#metrics.series(apiSecondsRow, { operation });
      this.#seconds.set(operation, series);
    }
    return series;
  }
}
