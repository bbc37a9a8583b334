import {
  assignCooperatively,
  assignInTurn,
  assignRanges,
  cooperativeStickyAssignorName,
  type OwningSubscriber,
  rangeAssignorName,
  roundRobinAssignorName,
} from '@weir/cluster/assignors';

/** How the leader of a group assigns partitions. All members of a group have to have one in common. */
export interface Balancer {
  /** As all clients call it. */
  readonly name: string;
  /** Whether members keep partitions while the group rebalances. */
  readonly isCooperative: boolean;
  /** Partitions by topic and member. */
  assign(
    members: readonly OwningSubscriber[],
    partitionCounts: ReadonlyMap<string, number>,
  ): ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>;
}

export const rangeBalancer: Balancer = {
  name: rangeAssignorName,
  isCooperative: false,
  assign: assignRanges,
};

export const roundRobinBalancer: Balancer = {
  name: roundRobinAssignorName,
  isCooperative: false,
  assign: assignInTurn,
};

export const cooperativeStickyBalancer: Balancer = {
  name: cooperativeStickyAssignorName,
  isCooperative: true,
  assign: assignCooperatively,
};
