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
  title: 'Bucket requests fail',
  observes: `The share of failed requests, retries included: above ${percent(failureShareMax)} of at least ${measuredOperationsMin}; critical from ${percent(failureShareCritical)}.`,
  explanation: 'Agents retry, so clients see higher latency first and errors if the failures continue.',
  fix: 'Check the status page of the object store, and the agent logs for its error responses. For throttling (503 SlowDown), raise the request limit or use several buckets; for timeouts, check the network.',
  kinds: clusterKinds,
  run({ buckets }) {
    if (buckets === undefined) return { missing: 'bucket stats' };
    return buckets.flatMap(({ name, operationCount, failureCount }) => {
      const share = operationCount === 0 ? 0 : failureCount / operationCount;
      if (operationCount < measuredOperationsMin || share <= failureShareMax) return [];
      return [
        {
          entity: { kind: 'bucket', name } as const,
          message: `Bucket ${name}: ${count(failureCount)} of ${counted(operationCount, 'request')} failed since the last run.`,
          severity: share >= failureShareCritical ? ('critical' as const) : undefined,
          weight: share,
        },
      ];
    });
  },
});
