import { markerCoordinatorEpoch, type TopicPartition } from '@weir/cluster';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { refusalsByName } from '../topics/topic-refusals.ts';

/**
 * DescribeProducers v0: returns the producers of partitions and their open transactions.
 *
 * A partition that does not exist is UNKNOWN_TOPIC_OR_PARTITION. If the control plane is unavailable, the error is
 * NOT_LEADER_OR_FOLLOWER, and clients refresh metadata and retry.
 *
 * Requires READ on the topic; otherwise its partitions are TOPIC_AUTHORIZATION_FAILED.
 */
export const describeProducersHandler: HandlerOf<Apis['DescribeProducers']> = async (request, context) => {
  const { cluster } = context;
  const partitionsToDescribe: TopicPartition[] = [];
  const refusalOf = refusalsByName(context, 'READ');
  const topics = request.topics.map(({ name, partitionIndexes }) => {
    const refusal = refusalOf(name);
    const topicId = refusal === undefined ? cluster.topicByName(name)?.topicId : undefined;
    return {
      name,
      problem: refusal ?? ('UNKNOWN_TOPIC_OR_PARTITION' as const),
      partitions: partitionIndexes.map((partition) => ({
        partition,
        at: topicId === undefined ? -1 : partitionsToDescribe.push({ topicId, partition }) - 1,
      })),
    };
  });
  const answers =
    partitionsToDescribe.length === 0
      ? []
      : await ifAvailable(cluster.port.describeProducers(partitionsToDescribe));
  return {
    throttleTimeMs: 0,
    topics: topics.map(({ name, problem, partitions }) => ({
      name,
      partitions: partitions.map(({ partition, at }) => {
        if (at < 0) return failed(partition, problem);
        const answer = answers?.[at];
        if (answer === undefined) return failed(partition, 'NOT_LEADER_OR_FOLLOWER');
        if (answer.error !== 'NONE') return failed(partition, 'UNKNOWN_TOPIC_OR_PARTITION');
        return {
          partitionIndex: partition,
          errorCode: errors.NONE.code,
          activeProducers: answer.producers.map((producer) => ({
            producerId: BigInt(producer.producerId),
            producerEpoch: producer.producerEpoch,
            lastSequence: producer.lastSequence,
            lastTimestamp: BigInt(producer.lastTimestampMs),
            coordinatorEpoch: markerCoordinatorEpoch,
            currentTxnStartOffset: BigInt(producer.transactionStartOffset),
          })),
        };
      }),
    })),
  };
};

function failed(partition: number, error: ErrorName) {
  return {
    partitionIndex: partition,
    errorCode: errors[error].code,
    errorMessage: errors[error].message,
    activeProducers: [],
  };
}
