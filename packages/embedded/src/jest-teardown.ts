import { rememberedCluster } from './jest-cluster.ts';

/** `globalTeardown: 'weir/testing/jest-teardown'`. */
export default async function teardown(): Promise<void> {
  await rememberedCluster()?.stop();
}
