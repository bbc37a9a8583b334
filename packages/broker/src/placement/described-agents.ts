import { replicationFactorOf, type TopicDescription } from '@weir/cluster';
import { type ErrorCode, errors } from '@weir/wire';
import type { Placement } from './placement.ts';

/** Returns the placement that a client sees. */
export type PlacementOf = (client: {
  readonly clientId: string | null;
  readonly remoteAddress: string;
}) => Placement;

/** Real racks would make clients read from the wrong agent: the client's zone decides which agent is near. */
export const rack = 'service-fake-rack';

/** Constant, because clients need not notice changes of leaders. */
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

/** Returns the partitions of a topic from `first` on, at most `countMax`. */
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
