import { type Clock, durationBucketsSeconds, type MetricRow, type Metrics, type Series } from '@weir/core';
import { type Around, aroundStore, type StoreOperation } from '../store/around.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { StoreError, type StoreErrorKind } from '../store/store-error.ts';

export const operationLatencyRow = {
  name: 'blob_store_operation_latency',
  kind: 'histogram',
  help: 'Seconds that single requests to the object store take',
  labels: ['operation', 'outcome'],
  buckets: durationBucketsSeconds,
} as const satisfies MetricRow;

export const bytesReadRow = {
  name: 'blob_store_bytes_read',
  kind: 'counter',
  help: 'Bytes read from the object store',
  labels: [],
} as const satisfies MetricRow<never>;

export const bytesWrittenRow = {
  name: 'blob_store_bytes_written',
  kind: 'counter',
  help: 'Bytes of objects that the object store has taken',
  labels: [],
} as const satisfies MetricRow<never>;

interface MeteredOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Called for every request as it ends. */
  readonly onRequest?: ((request: EndedRequest) => void) | undefined;
}

export type RequestOutcome = 'success' | 'aborted' | StoreErrorKind;

export interface EndedRequest {
  readonly operation: StoreOperation;
  readonly outcome: RequestOutcome;
  readonly latencyMs: number;
}

/** Counts single requests: below retries and hedges, each of which counts as a request of its own. */
export function metered(inner: ObjectStore, { clock, metrics, onRequest }: MeteredOptions): ObjectStore {
  const bytesRead = metrics.series(bytesReadRow, {});
  const bytesWritten = metrics.series(bytesWrittenRow, {});
  /** Finding a series by its labels costs more than the rest of this decorator. */
  const latencies: Partial<Record<StoreOperation, Partial<Record<RequestOutcome, Series>>>> = {};

  function latencyOf(operation: StoreOperation, outcome: RequestOutcome): Series {
    latencies[operation] ??= {};
    const series = latencies[operation];
    series[outcome] ??= metrics.series(operationLatencyRow, { operation, outcome });
    return series[outcome];
  }

  const around: Around = async ({ operation, signal, contentBytes, run }) => {
    const startMs = clock.monotonicMs();
    function ended(outcome: RequestOutcome): void {
      const latencyMs = clock.monotonicMs() - startMs;
      latencyOf(operation, outcome).observe(latencyMs / 1000);
      onRequest?.({ operation, outcome, latencyMs });
    }
    try {
      const result = await run(signal);
      ended('success');
      if (result !== false) bytesWritten.add(contentBytes);
      if (Buffer.isBuffer(result)) bytesRead.add(result.length);
      return result;
    } catch (error) {
      ended(error instanceof StoreError ? error.kind : 'aborted');
      throw error;
    }
  };
  return aroundStore(inner, around);
}
