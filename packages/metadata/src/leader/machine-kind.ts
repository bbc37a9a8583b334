import type { GroupsMachine } from '@weir/groups';
import { ClusterMachine } from '@weir/machine';

/** The part of the machine that a node uses. */
export type Machine = Pick<
  ClusterMachine,
  | 'execute'
  | 'apply'
  | 'findBatches'
  | 'findOffsets'
  | 'describeTransactions'
  | 'listTransactions'
  | 'describeProducers'
  | 'storedConfigs'
  | 'storedConfigNames'
  | 'logSizes'
  | 'countFiles'
  | 'deadFiles'
  | 'unknownFiles'
  | 'fileStats'
  | 'planCompaction'
  | 'clusterConfigs'
  | 'describeTopics'
  | 'describePartitions'
  | 'countResources'
  | 'deletedTopics'
  | 'topics'
  | 'snapshotForFollowers'
  | keyof GroupsMachine
  | 'beginSave'
>;

export interface MachineKind {
  empty(clusterId: string): Machine;
  restore(bytes: Buffer): Machine;
}

export const clusterMachines: MachineKind = ClusterMachine;
