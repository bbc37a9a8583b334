import { findTopic, type KafkaCluster, offsetRanges, printAddress, withCluster } from '@weir/client';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { clusterOptions } from './connection.ts';

export const describeTopicTool: Handler<'cli describe-topic'> = async (values, deps) => {
  const options = await clusterOptions(values, deps);
  const described = await withCluster(options, (cluster) => describeTopic(cluster, values.topic!));
  const { output } = deps;
  printResult(values, deps, {
    json: described,
    text: () =>
      `topic ${described.topic}, id ${described.topicId}\n${table(header, described.partitions.map(cells))}`,
  });
  for (const { partition, problem } of described.partitions) {
    if (problem !== null) output.err(`weir cli describe-topic: partition ${partition}: ${problem}\n`);
  }
  return described.partitions.some(({ problem }) => problem !== null) ? 1 : 0;
};

const header = ['PARTITION', 'LEADER', 'EPOCH', 'REPLICAS', 'IN SYNC', 'EARLIEST', 'LATEST'];

interface DescribedPartition {
  readonly partition: number;
  /** -1 when there is none. */
  readonly leaderId: number;
  readonly leader: string | null;
  readonly leaderEpoch: number;
  readonly replicas: readonly number[];
  readonly inSyncReplicas: readonly number[];
  readonly earliestOffset: bigint | null;
  readonly latestOffset: bigint | null;
  /** Why the offsets are not known. */
  readonly problem: string | null;
}

interface DescribedTopic {
  readonly topic: string;
  readonly topicId: string;
  readonly isInternal: boolean;
  readonly partitions: readonly DescribedPartition[];
}

async function describeTopic(cluster: KafkaCluster, name: string): Promise<DescribedTopic> {
  const { topic, brokers } = await cluster.retrying(() => findTopic(cluster, name));
  const sorted = topic.partitions.toSorted((a, b) => a.partitionIndex - b.partitionIndex);
  const { answers, failures } = await offsetRanges(
    cluster,
    name,
    sorted.map(({ partitionIndex }) => partitionIndex),
  );
  const partitions = sorted.map(({ partitionIndex, leaderId, leaderEpoch, replicaNodes, isrNodes }) => {
    const leader = brokers.find(({ nodeId }) => nodeId === leaderId);
    const range = answers.get(partitionIndex);
    return {
      partition: partitionIndex,
      leaderId,
      leader: leader === undefined ? null : printAddress(leader),
      leaderEpoch,
      replicas: replicaNodes,
      inSyncReplicas: isrNodes,
      earliestOffset: range?.earliest ?? null,
      latestOffset: range?.latest ?? null,
      problem: failures.get(partitionIndex)?.message ?? null,
    };
  });
  return { topic: name, topicId: topic.topicId, isInternal: topic.isInternal, partitions };
}

function cells(described: DescribedPartition): readonly string[] {
  const { partition, leaderId, leader, leaderEpoch, replicas, inSyncReplicas } = described;
  return [
    String(partition),
    leader === null ? 'none' : `${leaderId} (${leader})`,
    leaderEpoch < 0 ? '-' : String(leaderEpoch),
    replicas.join(','),
    inSyncReplicas.join(','),
    String(described.earliestOffset ?? '-'),
    String(described.latestOffset ?? '-'),
  ];
}
