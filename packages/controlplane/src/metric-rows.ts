import type { MetricRow } from '@weir/core';
import { leadingMetricRows } from '@weir/metadata';
import { clusterServerMetricRows } from '@weir/rpc';
import { refusedAgentsRow } from './agent-listener.ts';
import { alertMetricRows } from './alerts/alert-metrics.ts';
import { apiCallsRow, apiSecondsRow } from './api-server/api-metrics.ts';
import { refusedBodiesRow } from './api-server/request-body.ts';
import { backupMetricRows } from './backup/backup-metrics.ts';
import { scrapesRow } from './hosted-metrics/prometheus-route.ts';
import { connectionsCutRow } from './server.ts';
import { signInsRow } from './sign-in/sign-in-route.ts';
import { exchangesRow } from './workload-identity/token-exchange.ts';

/** What a process of a control plane counts. Metrics of whole clusters are in `hosted-metrics/`. */
export const controlPlaneMetricRows: readonly MetricRow[] = [
  ...leadingMetricRows,
  ...clusterServerMetricRows,
  refusedAgentsRow,
  apiCallsRow,
  apiSecondsRow,
  refusedBodiesRow,
  ...backupMetricRows,
  ...alertMetricRows,
  scrapesRow,
  connectionsCutRow,
  signInsRow,
  exchangesRow,
];
