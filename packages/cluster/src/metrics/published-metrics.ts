import type { MetricRow } from '@weir/core';
import { agentMetrics } from './agent-metrics.ts';
import { groupMetrics } from './group-metrics.ts';
import { healthMetrics } from './health-metrics.ts';
import type { PublishedMetric } from './published-metric.ts';
import { storageMetrics } from './storage-metrics.ts';
import { tableMetrics } from './table-metrics.ts';
import { topicMetrics } from './topic-metrics.ts';

/** Published in every round, whatever is omitted. */
export const leftOutRow: MetricRow<'what'> = {
  name: 'cluster_metrics_left_out',
  kind: 'gauge',
  help: 'Groups, or series of a metric, left out because their limit is reached.',
  labels: ['what'],
};

/** All metrics of a cluster as a whole. */
export const publishedMetrics: readonly PublishedMetric[] = [
  ...topicMetrics,
  ...storageMetrics,
  ...agentMetrics,
  ...healthMetrics,
  ...tableMetrics,
  ...groupMetrics,
];
