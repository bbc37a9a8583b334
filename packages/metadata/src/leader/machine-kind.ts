import { ClusterMachine } from '../machine/machine.ts';

/** What a node needs of a machine. */
export type Machine = Pick<
  ClusterMachine,
  'execute' | 'apply' | 'findBatches' | 'findOffsets' | 'snapshotForFollowers' | 'save'
>;

export interface MachineKind {
  empty(clusterId: string): Machine;
  restore(bytes: Buffer): Machine;
}

export const clusterMachines: MachineKind = ClusterMachine;
