import type { FaultCluster } from './cluster.ts';

/**
 * Fails unless every bucket of `service_multi://` gets every object that most buckets have: agents copy what one
 * missed. What fewer have was not acknowledged, or is deleted; the dead-file scan removes it hours later.
 */
export async function checkReplicas(cluster: FaultCluster, withinMs: number): Promise<void> {
  let lacking: readonly number[] = [];
  const isDone = () => {
    const keys = cluster.buckets.map(({ objects }) => new Set(objects.keys()));
    const all = [...new Set(keys.flatMap((ofBucket) => [...ofBucket]))];
    const acknowledged = all.filter(
      (key) => keys.filter((ofBucket) => ofBucket.has(key)).length > keys.length / 2,
    );
    lacking = keys.map((ofBucket) => acknowledged.filter((key) => !ofBucket.has(key)).length);
    return acknowledged.length > 0 && lacking.every((count) => count === 0);
  };
  try {
    await cluster.until(isDone, withinMs, 'all buckets have the same objects');
  } catch (error) {
    throw new Error(`${(error as Error).message}: they lack ${lacking.join(', ')} objects`, { cause: error });
  }
}
