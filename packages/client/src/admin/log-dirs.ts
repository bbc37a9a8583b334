import { apis, errors } from '@weir/wire';
import type { Broker, KafkaCluster } from '../cluster.ts';
import { KafkaRequestFailed } from '../request-failed.ts';
import { findTopic } from '../topics.ts';
import { requestFromBrokers } from './brokers.ts';

/** One partition in one directory of one broker. */
interface PartitionSize {
  readonly broker: Broker;
  readonly directory: string;
  readonly topic: string;
  readonly partition: number;
  readonly bytes: bigint;
  /** How many offsets the replica is behind the partition. */
  readonly offsetLag: bigint;
}

/** The size of partitions, of one topic or of all, as every broker reports it. */
export async function partitionSizes(
  cluster: KafkaCluster,
  topicName: string | undefined,
): Promise<readonly PartitionSize[]> {
  const topics =
    topicName === undefined
      ? null
      : [{ topic: topicName, partitions: await partitionsOf(cluster, topicName) }];
  const answers = await requestFromBrokers(cluster, async (connection) => {
    const { errorCode, results } = await connection.request(
      apis.DescribeLogDirs,
      { topics },
      { timeoutMs: cluster.timeoutMs },
    );
    if (errorCode !== errors.NONE.code) throw new KafkaRequestFailed('DescribeLogDirs', errorCode);
    for (const { errorCode: code, logDir } of results) {
      if (code !== errors.NONE.code) throw new KafkaRequestFailed(`directory ${logDir}`, code);
    }
    return results;
  });
  return answers
    .flatMap(({ broker, answer }) =>
      answer.flatMap(({ logDir, topics: found }) =>
        found.flatMap(({ name, partitions }) =>
          partitions
            // A future replica is not part of the partition's size.
            .filter(({ isFutureKey }) => !isFutureKey)
            .map(({ partitionIndex, partitionSize, offsetLag }) => ({
              broker,
              directory: logDir,
              topic: name,
              partition: partitionIndex,
              bytes: partitionSize,
              offsetLag,
            })),
        ),
      ),
    )
    .sort(
      (a, b) => compare(a.topic, b.topic) || a.partition - b.partition || a.broker.nodeId - b.broker.nodeId,
    );
}

async function partitionsOf(cluster: KafkaCluster, topicName: string): Promise<readonly number[]> {
  const { topic } = await cluster.retrying(() => findTopic(cluster, topicName));
  return topic.partitions.map(({ partitionIndex }) => partitionIndex);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
