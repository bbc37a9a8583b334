import type { TopicPartition } from '@weir/metadata';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import { ifAvailable } from './cluster-calls.ts';
import type { HandlerOf } from './handler.ts';
import { transactionErrorFor } from './transaction-errors.ts';

/**
 * AddPartitionsToTxn v0 to v3, from producers whose transactions keep one epoch. Later versions are for brokers and are
 * neither offered nor served.
 *
 * - One partition that is not there fails all: it is UNKNOWN_TOPIC_OR_PARTITION and the others OPERATION_NOT_ATTEMPTED.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS, upon which producers wait and retry.
 *
 * Missing: ACLs.
 */
export const addPartitionsToTxnHandler: HandlerOf<Apis['AddPartitionsToTxn']> = async (request, context) => {
  const { apiVersion, cluster, origin } = context;
  const topics = request.v3AndBelowTopics;
  const isThere = (name: string, partition: number) => {
    const topic = cluster.topicByName(name);
    return topic !== undefined && cluster.ends(topic.topicId, partition) !== undefined;
  };
  const error = topics.every(({ name, partitions }) => partitions.every((one) => isThere(name, one)))
    ? await add()
    : undefined;
  return {
    throttleTimeMs: 0,
    resultsByTopicV3AndBelow: topics.map(({ name, partitions }) => ({
      name,
      resultsByPartition: partitions.map((partition) => ({
        partitionIndex: partition,
        partitionErrorCode: errors[error ?? refusalOf(name, partition)].code,
      })),
    })),
  };

  async function add(): Promise<ErrorName> {
    const partitions = topics.flatMap(({ name, partitions }): TopicPartition[] => {
      const { topicId } = cluster.topicByName(name)!;
      return partitions.map((partition) => ({ topicId, partition }));
    });
    const answer = await ifAvailable(
      cluster.port.addPartitionsToTransaction({
        transactionalId: request.v3AndBelowTransactionalId,
        producerId: Number(request.v3AndBelowProducerId),
        producerEpoch: request.v3AndBelowProducerEpoch,
        origin,
        partitions,
      }),
    );
    if (answer === undefined) return 'COORDINATOR_LOAD_IN_PROGRESS';
    return transactionErrorFor(answer.error, 'AddPartitionsToTxn', apiVersion);
  }

  function refusalOf(name: string, partition: number): ErrorName {
    return isThere(name, partition) ? 'OPERATION_NOT_ATTEMPTED' : 'UNKNOWN_TOPIC_OR_PARTITION';
  }
};
