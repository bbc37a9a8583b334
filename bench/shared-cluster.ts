import type { Lifetime } from './kafka/lifetime.ts';
import { type SlowBucket, startSlowBucket } from './kafka/slow-bucket.ts';
import { startCluster, type WeirCluster } from './kafka/weir.ts';

/** A cluster with one agent over an S3 server, for the smoke tests of all benchmarks that need one. */
export interface SharedCluster {
  readonly bucket: SlowBucket;
  readonly cluster: WeirCluster;
}

export async function startSharedCluster(lifetime: Lifetime): Promise<SharedCluster> {
  const bucket = await startSlowBucket(lifetime, { kind: 'constant', ms: 1 });
  const cluster = await startCluster(lifetime, { profileFolder: undefined, bucketUrl: bucket.url });
  return { bucket, cluster };
}
