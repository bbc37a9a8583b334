import type { Handler } from '../handler.ts';
import { newIdentity } from './identity.ts';
import { runSelfContained } from './self-contained.ts';

/**
 * A whole cluster in memory, for tests and CI. What it held is gone when it stops, and so is what did not fit into memory and lies in
 * temporary files meanwhile.
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
      zone: 'local',
      notes: [`API key        ${identity.applicationKey}`, 'everything is gone when it stops'],
    },
    values,
    deps,
  );
};
