export { ClusterNode, type ClusterNodeOptions, type Role } from './cluster-node.ts';
export {
  defaultSharingTiming,
  type LedCluster,
  LoadSharing,
  type LoadSharingOptions,
  type SharingTiming,
} from './load-sharing/load-sharing.ts';
export { defaultTiming, shortLease, type Timing } from './timing.ts';
