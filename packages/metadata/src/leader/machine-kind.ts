import type { GroupsMachine } from '@weir/groups';
import { ClusterMachine } from '@weir/machine';
import { machineLimits } from '@weir/machine/limits';

/** The part of the machine that a node uses. */
export type Machine = Pick<
  ClusterMachine,
  | 'execute'
  | 'apply'
  | 'lastEntryMs'
  | 'findBatches'
  | 'findOffsets'
  | 'describeTransactions'
  | 'listTransactions'
  | 'describeProducers'
  | 'storedConfigs'
  | 'storedConfigNames'
  | 'logSizes'
  | 'estimateRetention'
  | 'countFiles'
  | 'deadFiles'
  | 'unknownFiles'
  | 'fileStats'
  | 'fileStates'
  | 'pointersOfFiles'
  | 'holds'
  | 'heldFiles'
  | 'unneededFiles'
  | 'becomeClone'
  | 'planCompaction'
  | 'compactionBacklog'
  | 'planKeyCompaction'
  | 'keyCompactionBacklog'
  | 'readRegistry'
  | 'registryRevision'
  | 'renewRegistry'
  | 'clusterConfigs'
  | 'describeTopics'
  | 'describePartitions'
  | 'countResources'
  | 'deletedTopics'
  | 'topics'
  | 'topicGrowth'
  | 'groupProgress'
  | 'managedTopics'
  | 'snapshotForFollowers'
  | keyof GroupsMachine
  | 'beginSave'
>;

export interface MachineKind {
  empty(clusterId: string): Machine;
  restore(bytes: Buffer): Machine;
}

/** A file that is older by its id is never committed. */
export const { fileCommitMsMax } = machineLimits;

export const clusterMachines: MachineKind = ClusterMachine;
