import { type Clock, durationBucketsSeconds, type MetricRow, type Metrics } from '@weir/core';
import { type Around, aroundStore } from '../store/around.ts';
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

export interface MeteredOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
}

type Outcome = 'success' | 'aborted' | StoreErrorKind;

/** Counts single requests: below retries and hedges, each of which shows up as a request of its own. */
export function metered(inner: ObjectStore, { clock, metrics }: MeteredOptions): ObjectStore {
  const bytesRead = metrics.series(bytesReadRow, {});
  const bytesWritten = metrics.series(bytesWrittenRow, {});

  const around: Around = async ({ operation, signal, contentBytes, run }) => {
    const startMs = clock.monotonicMs();
    function ended(outcome: Outcome): void {
      const latency = metrics.series(operationLatencyRow, { operation, outcome });
      latency.observe((clock.monotonicMs() - startMs) / 1000);
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
