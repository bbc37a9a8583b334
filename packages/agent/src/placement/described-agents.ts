import { replicationFactorOf, type TopicDescription } from '@weir/cluster';
import { type ErrorCode, errors } from '@weir/wire';
import type { Placement } from './placement.ts';

/** The agents that a client sees. */
export type PlacementOf = (client: {
  readonly clientId: string | null;
  readonly remoteAddress: string;
}) => Placement;

/** Racks would make clients read from the wrong agent: which one is near is decided by their zone. */
export const rack = 'service-fake-rack';

/** Leaders do not change in a way that clients have to know about, so there is one epoch. */
export const leaderEpoch = 0;

export interface DescribedPartition {
  readonly errorCode: ErrorCode;
  readonly partitionIndex: number;
  readonly leaderId: number;
  readonly leaderEpoch: number;
  readonly replicaNodes: readonly number[];
  readonly isrNodes: readonly number[];
  readonly offlineReplicas: readonly number[];
}

const noReplicas: readonly number[] = [];

/** The partitions of a topic from `first` on, as many as there are and no more than `countMax`. */
export function describedPartitions(
  topic: TopicDescription,
  placement: Placement,
  { epoch = leaderEpoch, first = 0, countMax = Number.POSITIVE_INFINITY } = {},
): DescribedPartition[] {
  const leaders = placement.leadersOf(topic);
  const replicationFactor = replicationFactorOf(topic);
  const described: DescribedPartition[] = [];
  const end = Math.min(leaders.length, first + countMax);
  for (let partitionIndex = first; partitionIndex < end; partitionIndex++) {
    const leader = leaders[partitionIndex]!;
    const replicas = placement.replicasOf(leader, replicationFactor);
    described.push({
      errorCode: errors.NONE.code,
      partitionIndex,
      leaderId: leader.nodeId,
      leaderEpoch: epoch,
      replicaNodes: replicas,
      isrNodes: replicas,
      offlineReplicas: noReplicas,
    });
  }
  return described;
}
