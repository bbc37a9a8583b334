import type { RequestKind } from '@weir/cluster';
import type { MetricRow, Metrics, Series } from '@weir/core';
import { shortName } from '@weir/core';
import type { StoreOperation } from '@weir/storage';
import { requestKindOf } from './bucket-stats.ts';

export const requestsRow = {
  name: 'blob_store_requests_total',
  kind: 'counter',
  help: 'Requests to a bucket as stores bill them: put, get, list or delete. Repeated, hedged, aborted and failed ones count, and those of merges.',
  labels: ['bucket', 'kind'],
} as const satisfies MetricRow;

/** Counts requests by bucket and kind. */
export class RequestCounters {
  readonly #metrics: Metrics;
  readonly #series = new Map<string, Partial<Record<RequestKind, Series>>>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  add(bucket: string, operation: StoreOperation, count: number): void {
    const kind = requestKindOf(operation);
    let ofBucket = this.#series.get(bucket);
    if (ofBucket === undefined) {
      ofBucket = {};
      this.#series.set(bucket, ofBucket);
    }
    ofBucket[kind] ??= this.#metrics.series(requestsRow, { bucket: shortName(bucket), kind });
    ofBucket[kind].add(count);
  }
}
