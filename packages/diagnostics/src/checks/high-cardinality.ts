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
  title: 'A metric has too many series',
  observes: `The series of each metric, against ${percent(seriesShareMax)} of ${count(seriesPerMetricMax)}.`,
  explanation: `Beyond ${count(seriesPerMetricMax)} further series of a metric are counted together as "other". Collectors charge per series.`,
  fix: 'Add partition and topic to -disableConsumerGroupsMetricsTags, turn -kafkaHighCardinalityDistributionMetrics off, and remove unused topics and groups.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 5, recoverAfterRuns: 5 },
  run({ metrics }) {
    if (metrics === undefined) return { missing: 'series of metrics' };
    return metrics
      .filter(({ seriesCount }) => seriesCount >= seriesShareMax * seriesPerMetricMax)
      .map(({ name, seriesCount }) => ({
        entity: { kind: 'metric', name },
        message: `${name} has ${count(seriesCount)} series.`,
        weight: seriesCount,
      }));
  },
});
