import type { MetricRow } from '@weir/core';
import { agentMetrics } from './agent-metrics.ts';
import { groupMetrics } from './group-metrics.ts';
import type { PublishedMetric } from './published-metric.ts';
import { topicMetrics } from './topic-metrics.ts';

/** What is told of a round whatever is left out. */
export const leftOutRow: MetricRow<'what'> = {
  name: 'cluster_metrics_left_out',
  kind: 'gauge',
  help: 'Groups, or series of a metric, that are left out because there are too many.',
  labels: ['what'],
};

/** All that is told of a cluster as such. */
export const publishedMetrics: readonly PublishedMetric[] = [
  ...topicMetrics,
  ...agentMetrics,
  ...groupMetrics,
];
