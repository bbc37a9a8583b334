import { systemEnvironment } from '@weir/core';
import { rememberCluster } from './jest-cluster.ts';
import { startCluster } from './start-cluster.ts';

/** `globalSetup: 'weir/testing/jest-setup'`: one cluster for all files of a run, in the variables of the tests. */
export default async function setup(): Promise<void> {
  const cluster = await startCluster();
  rememberCluster(cluster);
  Object.assign(systemEnvironment, cluster.environment);
}
