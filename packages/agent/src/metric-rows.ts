import type { MetricRow } from '@weir/core';
import { clusterClientMetricRows } from '@weir/rpc';
import { storeMetricRows } from '@weir/storage';
import { eventRows } from './events/event-metrics.ts';
import { heartbeatRow } from './heartbeats.ts';
import { httpConnectionsCutRow } from './http/agent-http-connections.ts';
import { httpDataRows } from './http-data/data-metrics.ts';
import { refreshesRow } from './identity/agent-token.ts';
import { compactionRows } from './jobs/compaction/file-compaction.ts';
import { keyCompactionRows } from './jobs/compaction/keys/key-compaction.ts';
import { deadFileRows } from './jobs/dead-file-metrics.ts';
import { jobRows } from './jobs/job-metrics.ts';
import { publishOutcomeRow } from './metrics-publishing/cluster-metrics.ts';
import { pushRow } from './metrics-publishing/push/metrics-push.ts';
import { listenerRows } from './net/listener-metrics.ts';
import { exchangeRows } from './page-exchange/exchange-metrics.ts';
import { answerBytesRow, metadataRows, processRows } from './pressure/pressure-metrics.ts';
import { stallRows } from './pressure/stall-stats.ts';
import { queryMetricRows } from './query/query-metrics.ts';
import { sidecarRow } from './query/sidecar-job.ts';
import { sensorsRow, throttledRow } from './quotas/quota-metrics.ts';
import { pageRows } from './read-path/page-metrics.ts';
import { readyRow } from './readiness/readiness.ts';
import { exporterRows } from './schema-exporting/exporter-metrics.ts';
import { linkingRows } from './schema-linking/linking-metrics.ts';
import { registryRows } from './schema-registry/registry-metrics.ts';
import { invalidRecordsRow } from './schema-validation/validation-metrics.ts';
import { deniedRow } from './security/acl/acl-metrics.ts';
import {
  authenticationsRow,
  expiredRow,
  unauthenticatedRow,
  waitingRow,
} from './security/sasl/sasl-metrics.ts';
import { certificateRows } from './security/tls/server-certificates.ts';
import { requestsRow } from './stats/request-counters.ts';
import { pointsRow, pushesRow } from './telemetry/client-telemetry.ts';
import { topicDistributionRows } from './telemetry/topic-distributions.ts';
import { backpressure, deadFiles, outcomes, produceOutcomes, writeRows } from './write-path/write-metrics.ts';

/** All metrics of agents, for documentation and tests. Cluster metrics are not included. */
export const agentMetricRows: readonly MetricRow[] = [
  ...Object.values(listenerRows),
  httpConnectionsCutRow,
  requestsRow,
  produceOutcomes,
  invalidRecordsRow,
  ...Object.values(topicDistributionRows),
  ...Object.values(writeRows),
  outcomes,
  deadFiles,
  backpressure,
  ...Object.values(pageRows),
  ...Object.values(exchangeRows),
  ...storeMetricRows,
  ...clusterClientMetricRows,
  heartbeatRow,
  readyRow,
  ...Object.values(jobRows),
  ...Object.values(deadFileRows),
  ...Object.values(compactionRows),
  ...Object.values(keyCompactionRows),
  ...Object.values(linkingRows),
  ...Object.values(exporterRows),
  ...Object.values(processRows),
  ...Object.values(metadataRows),
  answerBytesRow,
  ...stallRows,
  throttledRow,
  sensorsRow,
  authenticationsRow,
  expiredRow,
  unauthenticatedRow,
  waitingRow,
  ...Object.values(certificateRows),
  deniedRow,
  ...Object.values(registryRows),
  ...Object.values(httpDataRows),
  refreshesRow,
  pushesRow,
  pointsRow,
  publishOutcomeRow,
  pushRow,
  ...Object.values(eventRows),
  ...queryMetricRows,
  sidecarRow,
];
