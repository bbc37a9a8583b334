import type { Handler } from '../handler.ts';
import { newIdentity } from './identity.ts';
import { runSelfContained } from './self-contained.ts';

/**
 * A whole cluster in memory, for tests and CI. All data is lost when it stops, including data that did not fit into
 * memory and was spilled to temporary files.
 */
export const local: Handler<'local'> = (values, deps) => {
  const identity = newIdentity();
  const { clusterId } = identity;
  return runSelfContained(
    {
      name: 'local',
      identity,
      databaseUrl: `memory://${clusterId}`,
      bucketUrl: `mem://${clusterId}`,
      // Memory allows everything.
      bucketCheck: { skipBucketsPermissionCheck: true, checkBucketAccessRetryCount: 0 },
      zone: 'local',
      notes: [`API key        ${identity.applicationKey}`, 'everything is gone when it stops'],
    },
    values,
    deps,
  );
};
