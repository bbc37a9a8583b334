export { ClusterNode, type ClusterNodeOptions, type Role } from './cluster-node.ts';
export { NotLeader } from './not-leader.ts';
export { defaultTiming, type Timing } from './timing.ts';
