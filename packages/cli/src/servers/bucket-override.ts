import type { ClusterPort } from '@weir/metadata';
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
  const configs = await configsOf(cluster, stop);
  const given = configs[config];
  if (given === undefined || given === '') return undefined;
  const parsed = bucketType().parse(given);
  if ('problem' in parsed)
    throw new Failure(`the config ${config} of the cluster is no bucket: ${parsed.problem}`);
  return bucketType().print(parsed.value);
}

/** Waits for the cluster to show itself, or for the end. */
function configsOf(
  cluster: Pick<ClusterPort, 'follow'>,
  stop: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  return new Promise((resolve) => {
    const done = (configs: Readonly<Record<string, string>>) => {
      stop.removeEventListener('abort', giveUp);
      // The first snapshot may come before `follow` has returned.
      queueMicrotask(() => unfollow());
      resolve(configs);
    };
    const giveUp = () => done({});
    const unfollow = cluster.follow({
      onSnapshot: ({ clusterConfigs }) => done(clusterConfigs),
      onChanges: () => {},
    });
    stop.addEventListener('abort', giveUp);
    if (stop.aborted) giveUp();
  });
}
