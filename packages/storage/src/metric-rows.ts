import type { MetricRow } from '@weir/core';
import { hitsRow, permitRow, stateCountRow, stateSetRow } from './decorators/circuit-breaker.ts';
import { executionRow, p99Row, speculativeRetryRow } from './decorators/hedge.ts';
import { bytesReadRow, bytesWrittenRow, operationLatencyRow } from './decorators/metered.ts';
import { behindRow, repairedRow } from './multi/catch-up.ts';

/** Metrics of a store's requests. */
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
  behindRow,
  repairedRow,
];
