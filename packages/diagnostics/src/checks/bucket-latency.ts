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
  title: 'The bucket is slow',
  observes: `The slowest hundredth of operations, against ${duration(putP99MsMax)} for writes and ${duration(getP99MsMax)} for reads, when there were at least ${measuredOperationsMin}.`,
  explanation:
    'Producers wait for the bucket with every write, and consumers for every page that no agent holds.',
  fix: 'Check that bucket and agents are in one region and that their traffic takes the direct way, and whether the store slows requests down because of their rate; then spread them over several buckets with service_stripe://.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 5, recoverAfterRuns: 5 },
  run({ buckets }) {
    const measured = buckets?.filter(({ putP99Ms, getP99Ms }) => (putP99Ms ?? getP99Ms) !== undefined) ?? [];
    if (measured.length === 0) return { missing: 'latencies of buckets' };
    return measured.flatMap(({ name, operationCount, putP99Ms = 0, getP99Ms = 0 }) => {
      const slow = [
        ...(putP99Ms > putP99MsMax ? [`writes take ${duration(putP99Ms)}`] : []),
        ...(getP99Ms > getP99MsMax ? [`reads take ${duration(getP99Ms)}`] : []),
      ];
      if (slow.length === 0 || operationCount < measuredOperationsMin) return [];
      return [
        {
          entity: { kind: 'bucket', name } as const,
          message: `In ${name} the slowest hundredth of ${slow.join(' and of ')}, of ${counted(operationCount, 'operation')}.`,
          weight: Math.max(putP99Ms / putP99MsMax, getP99Ms / getP99MsMax),
        },
      ];
    });
  },
});
