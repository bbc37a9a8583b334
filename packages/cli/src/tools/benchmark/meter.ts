import { type Clock, durationBucketsSeconds, type MetricRow, type Metrics, type Series } from '@weir/core';
import { Latencies } from './latencies.ts';

/** The results of an interval, or of the whole benchmark. */
export interface Tally {
  readonly elapsedMs: number;
  readonly records: number;
  readonly bytes: number;
  /** Failed requests. */
  readonly failures: number;
  readonly latencies: ReadonlyMap<string, Latencies>;
}

const recordsRow: MetricRow = {
  name: 'benchmark_records',
  kind: 'counter',
  help: 'Records that were acknowledged or fetched.',
  labels: [],
};
const bytesRow: MetricRow = {
  name: 'benchmark_bytes',
  kind: 'counter',
  help: 'Bytes of those records: of their values when they are produced, of their batches when they are fetched.',
  labels: [],
};
const failuresRow: MetricRow = {
  name: 'benchmark_failures',
  kind: 'counter',
  help: 'Failed requests.',
  labels: [],
};
const latencyRow: MetricRow<'latency'> = {
  name: 'benchmark_latency',
  kind: 'histogram',
  help: 'Latencies in seconds, one entry per request.',
  labels: ['latency'],
  buckets: durationBucketsSeconds,
};

/** Counts what the clients of a benchmark do: since the last report, in total, and as metrics. */
export class Meter {
  readonly #clock: Clock;
  readonly #latencyNames: readonly string[];
  readonly #total: MutableTally;
  #interval: MutableTally;
  readonly #series: { readonly records: Series; readonly bytes: Series; readonly failures: Series };
  readonly #latencySeries: ReadonlyMap<string, Series>;
  #lastFailure: string | undefined;

  constructor(clock: Clock, metrics: Metrics, latencyNames: readonly string[]) {
    this.#clock = clock;
    this.#latencyNames = latencyNames;
    this.#total = new MutableTally(clock.monotonicMs(), latencyNames);
    this.#interval = new MutableTally(clock.monotonicMs(), latencyNames);
    this.#series = {
      records: metrics.series(recordsRow, {}),
      bytes: metrics.series(bytesRow, {}),
      failures: metrics.series(failuresRow, {}),
    };
    this.#latencySeries = new Map(
      latencyNames.map((name) => [name, metrics.series(latencyRow, { latency: name })]),
    );
  }

  /** The reason of the last failed request. */
  get lastFailure(): string | undefined {
    return this.#lastFailure;
  }

  get records(): number {
    return this.#total.records;
  }

  count(records: number, bytes: number): void {
    for (const tally of [this.#interval, this.#total]) {
      tally.records += records;
      tally.bytes += bytes;
    }
    this.#series.records.add(records);
    this.#series.bytes.add(bytes);
  }

  /** Records a latency that all records of a request share. */
  observe(name: string, latencyMs: number, records: number): void {
    for (const tally of [this.#interval, this.#total]) tally.latencies.get(name)!.add(latencyMs, records);
    this.#latencySeries.get(name)!.observe(latencyMs / 1000);
  }

  fail(reason: string): void {
    this.#interval.failures++;
    this.#total.failures++;
    this.#series.failures.add(1);
    this.#lastFailure = reason;
  }

  /** Returns the results since the last call, and starts a new interval. */
  turn(): Tally {
    const nowMs = this.#clock.monotonicMs();
    const finished = this.#interval.until(nowMs);
    this.#interval = new MutableTally(nowMs, this.#latencyNames);
    return finished;
  }

  total(): Tally {
    return this.#total.until(this.#clock.monotonicMs());
  }
}

class MutableTally {
  readonly #fromMs: number;
  readonly latencies: ReadonlyMap<string, Latencies>;
  records = 0;
  bytes = 0;
  failures = 0;

  constructor(fromMs: number, latencyNames: readonly string[]) {
    this.#fromMs = fromMs;
    this.latencies = new Map(latencyNames.map((name) => [name, new Latencies()]));
  }

  until(nowMs: number): Tally {
    const { records, bytes, failures, latencies } = this;
    return { elapsedMs: nowMs - this.#fromMs, records, bytes, failures, latencies };
  }
}
