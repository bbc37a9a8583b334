import { systemEnvironment } from '@weir/core';
import { startCluster } from './start-cluster.ts';

/**
 * `globalSetup: 'weir/testing/vitest'`: one cluster for all files of a run, in KAFKA_BOOTSTRAP_SERVERS and
 * SCHEMA_REGISTRY_URL of the tests. Returns what ends it.
 */
export async function setup(): Promise<() => Promise<void>> {
  const cluster = await startCluster();
  Object.assign(systemEnvironment, cluster.environment);
  return () => cluster.stop();
}
