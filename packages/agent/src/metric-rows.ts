import {
  answerBytesRow,
  backpressure,
  deadFiles,
  exchangeRows,
  invalidRecordsRow,
  lightningRows,
  listenerRows,
  metadataRows,
  outcomes,
  pageRows,
  pointsRow,
  processRows,
  produceOutcomes,
  pushesRow,
  sensorsRow,
  servingRows,
  stallRows,
  throttledRow,
  topicDistributionRows,
  writeRows,
} from '@weir/broker';
import type { MetricRow } from '@weir/core';
import { httpDataRows, registryRows } from '@weir/gateway';
import { httpConnectionsCutRow } from '@weir/http';
import {
  compactionRows,
  deadFileRows,
  exporterRows,
  jobRows,
  keyCompactionRows,
  linkingRows,
  migrationRows,
  pipelineRows,
  queryMetricRows,
  sidecarRow,
  tableRows,
} from '@weir/jobs';
import { clusterClientMetricRows } from '@weir/rpc';
import {
  authenticationsRow,
  certificateRows,
  deniedRow,
  expiredRow,
  unauthenticatedRow,
  waitingRow,
} from '@weir/security';
import { storeMetricRows } from '@weir/storage';
import { eventRows } from './events/event-metrics.ts';
import { heartbeatRow } from './heartbeats.ts';
import { refreshesRow } from './identity/agent-token.ts';
import { publishOutcomeRow } from './metrics-publishing/cluster-metrics.ts';
import { pushRow } from './metrics-publishing/push/metrics-push.ts';
import { readyRow } from './readiness/readiness.ts';
import { requestsRow } from './stats/request-counters.ts';

/** All metrics of agents, for documentation and tests. Cluster metrics are not included. */
export const agentMetricRows: readonly MetricRow[] = [
  ...Object.values(listenerRows),
  ...Object.values(lightningRows),
  ...Object.values(servingRows),
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
  ...Object.values(migrationRows),
  ...Object.values(pipelineRows),
  ...Object.values(exporterRows),
  ...Object.values(tableRows),
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
