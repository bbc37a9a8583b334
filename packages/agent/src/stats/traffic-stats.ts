import { pageRows, writeRows } from '@weir/broker';
import {
  type LatencyCounts,
  latencyStepOf,
  noLatencies,
  packLatencies,
  type ReportedTraffic,
} from '@weir/cluster';
import type { MetricRow, Metrics } from '@weir/core';

const counters = {
  inRecords: writeRows.producedRecords,
  inBytes: writeRows.producedBytes,
  outRecords: pageRows.sentRecords,
  outBytes: pageRows.sentBytes,
} as const satisfies Partial<Record<keyof ReportedTraffic, MetricRow>>;

type Totals = Readonly<Record<keyof typeof counters, number>>;

/**
 * Records that clients sent and read since the last report that was received: differences of the agent's own counters,
 * so nothing is counted twice, and nothing runs per record.
 */
export class TrafficStats {
  readonly #metrics: Metrics;
  #acked: Totals;
  #reported: Totals;
  /** Of requests since the last report, and of those in reports that may not have been received. */
  #fresh: LatencyCounts = noLatencies();
  #unacked: LatencyCounts = noLatencies();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    this.#acked = this.#read();
    this.#reported = this.#acked;
  }

  written(latencyMs: number): void {
    this.#fresh[latencyStepOf(latencyMs)]!++;
  }

  /** `undefined` without any traffic. */
  report(): ReportedTraffic | undefined {
    for (const [step, count] of this.#fresh.entries()) this.#unacked[step]! += count;
    this.#fresh = noLatencies();
    this.#reported = this.#read();
    const since = (name: keyof Totals) => Math.max(0, Math.round(this.#reported[name] - this.#acked[name]));
    const traffic = {
      inRecords: since('inRecords'),
      inBytes: since('inBytes'),
      outRecords: since('outRecords'),
      outBytes: since('outBytes'),
      produceLatencies: packLatencies(this.#unacked),
    };
    const { produceLatencies, ...counts } = traffic;
    const isIdle = produceLatencies.length === 0 && Object.values(counts).every((count) => count === 0);
    return isIdle ? undefined : traffic;
  }

  reportReceived(): void {
    this.#acked = this.#reported;
    this.#unacked = noLatencies();
  }

  #read(): Totals {
    const of = (name: keyof Totals) => this.#metrics.total(counters[name]);
    return {
      inRecords: of('inRecords'),
      inBytes: of('inBytes'),
      outRecords: of('outRecords'),
      outBytes: of('outBytes'),
    };
  }
}
