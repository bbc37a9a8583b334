import { seriesPerMetricMax } from '@weir/core';
import { defineCheck } from '../check.ts';
import { clusterKinds } from '../diagnostic-snapshot.ts';
import { count, percent } from '../number-texts.ts';

const seriesShareMax = 0.8;

export const highCardinality = defineCheck({
  name: 'high_cardinality',
  type: 'limits',
  source: 'agent',
  severity: 'medium',
  title: 'High-cardinality metric',
  observes: `The number of series per metric, against ${percent(seriesShareMax)} of the limit of ${count(seriesPerMetricMax)}.`,
  explanation: `Above ${count(seriesPerMetricMax)}, further series of a metric are aggregated into "other". Monitoring services charge per series.`,
  fix: 'Add partition and topic to -disableConsumerGroupsMetricsTags, turn -kafkaHighCardinalityDistributionMetrics off, and remove unused topics and groups.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 5, recoverAfterRuns: 5 },
  run({ metrics }) {
    if (metrics === undefined) return { missing: 'metric series' };
    return metrics
      .filter(({ seriesCount }) => seriesCount >= seriesShareMax * seriesPerMetricMax)
      .map(({ name, seriesCount }) => ({
        entity: { kind: 'metric', name },
        message: `Metric ${name} has ${count(seriesCount)} series.`,
        weight: seriesCount,
      }));
  },
});
