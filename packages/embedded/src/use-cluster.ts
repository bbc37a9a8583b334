import type { Hooks, TestCluster, TestClusterOptions } from './cluster.ts';
import { startCluster } from './start-cluster.ts';

/** A cluster for the tests of a file, or of the block in which it is called. Its fields can be read once tests run. */
export function useCluster(hooks: Hooks, options: TestClusterOptions = {}): TestCluster {
  let cluster: TestCluster | undefined;
  const start = async () => {
    cluster = await startCluster(options);
  };
  const stop = async () => {
    await cluster?.stop();
  };
  if ('before' in hooks) {
    hooks.before(start);
    hooks.after(stop);
  } else {
    hooks.beforeAll(start);
    hooks.afterAll(stop);
  }
  const running = () => {
    if (cluster === undefined) throw new Error('weir: the cluster runs once the first test does, not before');
    return cluster;
  };
  return {
    get bootstrapServers() {
      return running().bootstrapServers;
    },
    get schemaRegistryUrl() {
      return running().schemaRegistryUrl;
    },
    get apiUrl() {
      return running().apiUrl;
    },
    get apiKey() {
      return running().apiKey;
    },
    get environment() {
      return running().environment;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
