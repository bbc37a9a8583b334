import { type ClusterPort, takeSnapshot } from '@weir/metadata';
import { Failure } from '../failure.ts';
import { bucketUrl as bucketType } from '../values/bucket-url.ts';

const config = 'service.bucket.url';

/**
 * The bucket that the cluster itself names, if it does; it goes before the one that an agent was started with, so that all agents of a cluster
 * use the same. It is asked for once: files lie in one bucket, and whoever names another has to bring them there and start agents anew.
 */
export async function bucketOverride(
  cluster: Pick<ClusterPort, 'follow'>,
  stop: AbortSignal,
): Promise<string | undefined> {
  const snapshot = await takeSnapshot(cluster, { stop }).catch((error) => {
    // Whoever stops needs no bucket.
    if (!stop.aborted) throw error;
  });
  const given = snapshot?.clusterConfigs[config];
  if (given === undefined || given === '') return undefined;
  const parsed = bucketType().parse(given);
  if ('problem' in parsed)
    throw new Failure(`the config ${config} of the cluster is no bucket: ${parsed.problem}`);
  return bucketType().print(parsed.value);
}
