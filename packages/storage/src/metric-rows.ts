import type { MetricRow } from '@weir/core';
import { hitsRow, permitRow, stateCountRow, stateSetRow } from './decorators/circuit-breaker.ts';
import { executionRow, p99Row, speculativeRetryRow } from './decorators/hedge.ts';
import { bytesReadRow, bytesWrittenRow, operationLatencyRow } from './decorators/metered.ts';

/** What a store counts of its requests. */
export const storeMetricRows: readonly MetricRow[] = [
  operationLatencyRow,
  bytesReadRow,
  bytesWrittenRow,
  executionRow,
  p99Row,
  speculativeRetryRow,
  stateSetRow,
  stateCountRow,
  permitRow,
  hitsRow,
];
