export { startLocalCluster } from './local-cluster.ts';
