import type { MetricRow } from '@weir/core';
import { connectedRow } from './client.ts';
import { connectsRow } from './connector.ts';
import { clientCallRows } from './pending-calls.ts';

/** The metrics of a cluster client. */
export const clusterClientMetricRows: readonly MetricRow[] = [
  connectedRow,
  connectsRow,
  clientCallRows.calls,
  clientCallRows.seconds,
];
