export { type NotFaked, refusingCluster } from './refusing-cluster.ts';
