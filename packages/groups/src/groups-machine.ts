import type { ClusterMachine } from '@weir/machine';

/** The part of the machine that the coordinator reads. */
export type GroupsMachine = Pick<
  ClusterMachine,
  | 'kv'
  | 'offsets'
  | 'fetchOffsets'
  | 'findBatches'
  | 'topicById'
  | 'topicByName'
  | 'topicByNumber'
  | 'topicNames'
  | 'topicNumber'
  | 'clusterConfigs'
>;
