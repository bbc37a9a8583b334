export type { Hooks, TestCluster, TestClusterOptions } from './cluster.ts';
export { startCluster } from './start-cluster.ts';
export { useCluster } from './use-cluster.ts';
