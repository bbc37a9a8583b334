import { defineCheck } from '../check.ts';
import { clusterKinds } from '../diagnostic-snapshot.ts';
import { count, counted, percent } from '../number-texts.ts';
import { measuredOperationsMin } from './bucket-latency.ts';

const failureShareMax = 0.01;
const failureShareCritical = 0.1;

export const bucketFailures = defineCheck({
  name: 'bucket_failures',
  type: 'storage',
  source: 'agent',
  severity: 'high',
  title: 'Operations of the bucket fail',
  observes: `Operations that failed, repetitions included: more than ${percent(failureShareMax)} of at least ${measuredOperationsMin}, and from ${percent(failureShareCritical)} on it is critical.`,
  explanation: 'Agents try again, so that clients see delays first and errors when it goes on.',
  fix: 'Look at the status page of the store and at the logs of agents for its answers. A store that asks to slow down needs a raised limit or several buckets; timeouts point at the network.',
  kinds: clusterKinds,
  run({ buckets }) {
    if (buckets === undefined) return { missing: 'stats of buckets' };
    return buckets.flatMap(({ name, operationCount, failureCount }) => {
      const share = operationCount === 0 ? 0 : failureCount / operationCount;
      if (operationCount < measuredOperationsMin || share <= failureShareMax) return [];
      return [
        {
          entity: { kind: 'bucket', name } as const,
          message: `In ${name} ${count(failureCount)} of ${counted(operationCount, 'operation')} failed since the last look.`,
          severity: share >= failureShareCritical ? ('critical' as const) : undefined,
          weight: share,
        },
      ];
    });
  },
});
