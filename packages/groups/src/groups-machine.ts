import type { ClusterMachine } from '@weir/machine';

/** The part of the machine that the coordinator reads. */
export type GroupsMachine = Pick<
  ClusterMachine,
  | 'kv'
  | 'offsets'
  | 'fetchOffsets'
  | 'findBatches'
  | 'findOffsets'
  | 'topicById'
  | 'topicByName'
  | 'topicByNumber'
  | 'topicNames'
  | 'topicNumber'
  | 'clusterConfigs'
>;
