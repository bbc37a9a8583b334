export { Followers } from '../src/leader/followers.ts';
export {
  commitOf,
  createTopic,
  GroupWorld,
  joinOf,
  stableGroup,
  subscriptionTo,
  syncOf,
  withoutDelay,
} from './group-world.ts';
export { memoryNode } from './memory-node.ts';
export { SimulatedProcess } from './simulated-process.ts';
export { TestCluster, type TestClusterOptions } from './test-cluster.ts';
