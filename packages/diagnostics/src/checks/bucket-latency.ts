import { defineCheck } from '../check.ts';
import { clusterKinds } from '../diagnostic-snapshot.ts';
import { counted, duration } from '../number-texts.ts';

const putP99MsMax = 2000;
const getP99MsMax = 1000;
/** With fewer operations the quantile is just the slowest of them. */
export const measuredOperationsMin = 100;

export const bucketLatency = defineCheck({
  name: 'bucket_latency',
  type: 'storage',
  source: 'agent',
  severity: 'medium',
  title: 'High bucket latency',
  observes: `The p99 latency of requests, against ${duration(putP99MsMax)} for PUT and ${duration(getP99MsMax)} for GET, if there were at least ${measuredOperationsMin} requests.`,
  explanation: 'Every produce request waits for the bucket, and so does every fetch that misses the cache.',
  fix: 'Check that bucket and agents are in the same region and that traffic uses a direct route such as a gateway endpoint. If the store throttles requests, spread them over several buckets with service_stripe://.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 5, recoverAfterRuns: 5 },
  run({ buckets }) {
    const measured = buckets?.filter(({ putP99Ms, getP99Ms }) => (putP99Ms ?? getP99Ms) !== undefined) ?? [];
    if (measured.length === 0) return { missing: 'bucket latency' };
    return measured.flatMap(({ name, operationCount, putP99Ms = 0, getP99Ms = 0 }) => {
      const slow = [
        ...(putP99Ms > putP99MsMax ? [`PUT ${duration(putP99Ms)}`] : []),
        ...(getP99Ms > getP99MsMax ? [`GET ${duration(getP99Ms)}`] : []),
      ];
      if (slow.length === 0 || operationCount < measuredOperationsMin) return [];
      return [
        {
          entity: { kind: 'bucket', name } as const,
          message: `Bucket ${name}: p99 latency ${slow.join(', ')} over ${counted(operationCount, 'request')}.`,
          weight: Math.max(putP99Ms / putP99MsMax, getP99Ms / getP99MsMax),
        },
      ];
    });
  },
});
